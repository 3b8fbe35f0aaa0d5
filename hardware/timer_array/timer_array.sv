// SPDX-License-Identifier: Apache-2.0
//
// A timer array: up to 32 cells, each a counter that requests an interrupt of its own when it expires.
//
// A cell counts down while it runs, once a tick.  When its count would be 0 or less, the cell expires, and its reload
// value is added to the count.  So its period is its reload value, however often the count is moved meanwhile:
//
//     next    = count - 1 + what is written to ADJUST or MOVE in this cycle
//     expires = next <= 0
//     count   = next + (expires ? reload : 0)
//
// A count that is moved into the past expires at once, and again each tick until the reload values have caught up: no
// expiry is lost to a store that comes late.  A cell whose reload value is 0 stops when it expires.  Counts have a sign
// and 32 bits, and nothing looks after their ends: see README.md.
//
// One store starts any set of cells in the same cycle, where they stood or from their first counts, or stops them: a
// cell that stops keeps its count.  One store moves all that the last store to RESTART started.  One store lets any set of
// cells request interrupts, or no more.  A cell that expires does the same for those that its register ARMS names: from
// the next cycle on they request interrupts, until what the cell has begun is told to be done and nothing that it has
// requested is pending.  README.md says what each register is for.
module timer_array #(
    parameter int unsigned CELLS = 32,  // 1 to 32
    parameter int unsigned SOURCE = 0   // the number by which the interrupt controller knows the first cell
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             tick_i,     // the cells count in this cycle
    // The bus: an access takes one cycle, its answer stands in the next.
    input  logic             req_i,
    input  logic             we_i,
    input  logic [3:0]       be_i,
    input  logic [11:0]      addr_i,
    input  logic [31:0]      wdata_i,
    output logic [31:0]      rdata_o,
    output logic             err_o,
    // A pulse of one cycle when a cell expires whose requests are enabled.
    output logic [CELLS-1:0] request_o,
    // The cells' requests for which the interrupt controller has begun no handler.
    input  logic [CELLS-1:0] pending_i
);
  logic signed [31:0] count[CELLS];
  logic signed [31:0] reload[CELLS];
  logic signed [31:0] first[CELLS];
  logic [CELLS-1:0] arms[CELLS];
  logic [CELLS-1:0] running, enabled;
  logic [CELLS-1:0] together;  // what the last store to RESTART started
  logic [31:0] now;

  // Which register an access names.  There is none but for whole, aligned words.
  localparam int unsigned INDEX = CELLS > 1 ? $clog2(CELLS) : 1;
  logic in_cells, known, write;
  logic [INDEX-1:0] cell_index;
  logic [2:0] word;
  always_comb begin
    cell_index = addr_i[5+:INDEX];
    word = addr_i[4:2];
    in_cells = (addr_i & 12'hC00) == timer_array_pkg::CELLS_OFFSET && 32'(addr_i[9:5]) < CELLS
        && word <= timer_array_pkg::FIRST_WORD;
    known = addr_i[1:0] == 2'b00 && be_i == 4'hF
        && (in_cells || addr_i == timer_array_pkg::START_OFFSET || addr_i == timer_array_pkg::STOP_OFFSET
            || addr_i == timer_array_pkg::ENABLE_OFFSET || addr_i == timer_array_pkg::DISABLE_OFFSET
            || addr_i == timer_array_pkg::NOW_OFFSET || addr_i == timer_array_pkg::RESTART_OFFSET
            || addr_i == timer_array_pkg::DONE_OFFSET || addr_i == timer_array_pkg::MOVE_OFFSET);
    write = req_i && we_i && known;
  end

  // A store to START, RESTART or ENABLE sets the bits that are written, one to STOP or DISABLE clears them.
  logic [CELLS-1:0] starts, restarts, stops, enables, disables, ones, stored, moved, done;
  always_comb begin
    ones     = wdata_i[CELLS-1:0];
    restarts = write && addr_i == timer_array_pkg::RESTART_OFFSET ? ones : '0;
    starts   = write && addr_i == timer_array_pkg::START_OFFSET ? ones : restarts;
    stops    = write && addr_i == timer_array_pkg::STOP_OFFSET ? ones : '0;
    enables  = write && addr_i == timer_array_pkg::ENABLE_OFFSET ? ones : '0;
    disables = write && addr_i == timer_array_pkg::DISABLE_OFFSET ? ones : '0;
    // The cell that has one of its own registers stored.
    for (int unsigned k = 0; k < CELLS; k++) stored[k] = write && in_cells && 32'(cell_index) == k;
    // The cells to whose counts this store adds.
    for (int unsigned k = 0; k < CELLS; k++)
      moved[k] = (stored[k] && word == timer_array_pkg::ADJUST_WORD)
          || (write && addr_i == timer_array_pkg::MOVE_OFFSET && together[k]);
    // The cell whose source is stored to DONE, in the lowest 12 bits, as a core has it in mcause.
    for (int unsigned k = 0; k < CELLS; k++)
      done[k] = write && addr_i == timer_array_pkg::DONE_OFFSET && 32'(wdata_i[11:0]) == SOURCE + k;
  end

  // What each cell does next.
  logic signed [31:0] next[CELLS];
  logic [CELLS-1:0] expires, armed, disarmed;
  always_comb begin
    armed = '0;
    disarmed = '0;
    for (int unsigned k = 0; k < CELLS; k++) begin
      next[k] = count[k];
      if (running[k] && tick_i) next[k] = next[k] - 1;
      if (moved[k]) next[k] = next[k] + wdata_i;
      expires[k] = running[k] && tick_i && next[k] <= 0;
      if (expires[k]) next[k] = next[k] + reload[k];
      if (expires[k]) armed = armed | arms[k];
      // An activation that came since waits in the interrupt controller, and keeps its deadlines.
      if (done[k] && !pending_i[k] && !expires[k]) disarmed = disarmed | arms[k];
      if (stored[k] && word == timer_array_pkg::COUNT_WORD) next[k] = wdata_i;
      if (restarts[k]) next[k] = first[k];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running <= '0;
      enabled <= '0;
      together <= '0;
      now <= '0;
      for (int unsigned k = 0; k < CELLS; k++) begin
        count[k]  <= '0;
        reload[k] <= '0;
        first[k]  <= '0;
        arms[k]   <= '0;
      end
    end else begin
      if (tick_i) now <= now + 1;
      if (write && addr_i == timer_array_pkg::RESTART_OFFSET) together <= ones;
      for (int unsigned k = 0; k < CELLS; k++) begin
        count[k] <= next[k];
        if (stored[k] && word == timer_array_pkg::RELOAD_WORD) reload[k] <= wdata_i;
        if (stored[k] && word == timer_array_pkg::FIRST_WORD) first[k] <= wdata_i;
        if (stored[k] && word == timer_array_pkg::ARMS_WORD) arms[k] <= ones;
        running[k] <= (running[k] | starts[k]) & ~stops[k] & ~(expires[k] && reload[k] == 0 && !starts[k]);
      end
      enabled <= ((enabled & ~disarmed) | armed | enables) & ~disables;
    end
  end

  assign request_o = expires & enabled;

  // The answer.
  logic [31:0] read;
  always_comb begin
    unique case (addr_i)
      timer_array_pkg::START_OFFSET, timer_array_pkg::STOP_OFFSET: read = 32'(running);
      timer_array_pkg::ENABLE_OFFSET, timer_array_pkg::DISABLE_OFFSET: read = 32'(enabled);
      timer_array_pkg::NOW_OFFSET: read = now;
      timer_array_pkg::RESTART_OFFSET, timer_array_pkg::DONE_OFFSET, timer_array_pkg::MOVE_OFFSET: read = '0;
      default:
      unique case (word)
        timer_array_pkg::RELOAD_WORD: read = reload[cell_index];
        timer_array_pkg::ARMS_WORD: read = 32'(arms[cell_index]);
        timer_array_pkg::FIRST_WORD: read = first[cell_index];
        default: read = count[cell_index];
      endcase
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_o <= '0;
      err_o   <= 1'b0;
    end else begin
      rdata_o <= req_i && known ? read : '0;
      err_o   <= req_i && !known;
    end
  end

`ifdef FORMAL
`include "invariants.svh"
`endif
endmodule
