// SPDX-License-Identifier: Apache-2.0
//
// What timer_array.sv keeps in every cycle, proved by check.sh for any stores, any ticks and any state it can be in.
// timer_array.sv includes this file for the proof alone.
logic begun = 1'b0;  // there is a cycle before this one, and no reset in either
always @(posedge clk_i) begun <= 1'b1;
initial assume (!rst_ni);
always @(posedge clk_i) if (begun) assume (rst_ni);

// Nothing is assumed of accesses and ticks.
logic [CELLS-1:0] moves, sets;
for (genvar k = 0; k < CELLS; k++) begin : g_stores
  assign moves[k] = (stored[k] && word == timer_array_pkg::ADJUST_WORD)
      || (write && addr_i == timer_array_pkg::MOVE_OFFSET && together[k]);
  assign sets[k] = (stored[k] && word == timer_array_pkg::COUNT_WORD) || restarts[k];
end

for (genvar k = 0; k < CELLS; k++) begin : g_cell
  logic signed [31:0] was;  // the count in the cycle before
  logic requested, expired, ran, moved, set, started, restarted, stopped, ticked;
  logic signed [31:0] had_reload, had_first, given;
  logic armed_now, disarmed_now, had_enabled, disabled;
  logic [CELLS-1:0] ends;  // the cells that are done, with no request pending, and name this one in ARMS
  for (genvar j = 0; j < CELLS; j++) assign ends[j] = done[j] && !pending_i[j] && !expires[j] && arms[j][k];
  always @(posedge clk_i) begin
    was <= count[k];
    had_reload <= reload[k];
    had_first <= first[k];
    requested <= request_o[k];
    expired <= expires[k];
    ran <= running[k];
    moved <= moves[k];
    given <= wdata_i;
    set <= sets[k];
    started <= starts[k];
    restarted <= restarts[k];
    stopped <= stops[k];
    ticked <= tick_i;
    disarmed_now <= |ends;
    had_enabled <= enabled[k];
    disabled <= disables[k];
    armed_now <= armed[k] || enables[k];
  end

  always @(posedge clk_i) begin
    if (begun) begin
      // Only a cell that runs and is enabled requests, and only in a tick.
      if (request_o[k]) assert (enabled[k] && running[k] && tick_i);
      // A cell that has come to its end expires, also if it was moved into the past: nothing is lost.  (One tick below
      // the least of counts is the greatest.)
      if (running[k] && tick_i && count[k] <= 1 && count[k] != 32'sh8000_0000 && !moves[k]) assert (expires[k]);
      // And one that has not does not.
      if (count[k] > 1 && !moves[k]) assert (!expires[k]);
    end
  end

  logic old;  // two cycles without a reset
  initial old = 1'b0;
  always @(posedge clk_i) old <= begun && rst_ni;
  always @(posedge clk_i) begin
    if (begun && old) begin
      // A cell that stands keeps its count.
      if (!ran && !moved && !set) assert (count[k] == was);
      // So does one that runs, between ticks.
      if (!ticked && !moved && !set) assert (count[k] == was);
      // A cell that expires gets its reload value, and has lost the tick: its period is its reload value.
      if (expired && !moved && !set) assert (count[k] == was - 1 + had_reload);
      if (ran && ticked && !expired && !moved && !set) assert (count[k] == was - 1);
      // A cell that is moved, by its own register or with others, is moved by just that, and counts all the same.
      if (moved && !set) assert (count[k] == was - 32'(ran && ticked) + given + (expired ? had_reload : 0));
      // It requests in the next cycle again only where it is told to, has a reload value of 1, or catches up.
      if (requested && request_o[k] && !moves[k] && !moved && !set)
        assert (had_reload == 1 || was - 1 + had_reload <= 1);
      // What another cell arms, or a store enables, requests from then on, until that cell is done and no request of it is
      // pending, or until a store to DISABLE: nothing else begins it, and nothing else ends it.
      if (disabled) assert (!enabled[k]);
      else assert (enabled[k] == (armed_now || (had_enabled && !disarmed_now)));
      // One store starts, one stops, and one that expires with a reload value of 0 stops by itself.
      if (started) assert (running[k]);
      if (restarted) assert (running[k] && count[k] == had_first);
      if (stopped) assert (!running[k]);
      if (expired && had_reload == 0 && !started) assert (!running[k]);
      if (ran && !stopped && !(expired && had_reload == 0)) assert (running[k]);
      if (!ran && !started) assert (!running[k]);
    end
  end
end
