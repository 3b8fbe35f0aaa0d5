// SPDX-License-Identifier: Apache-2.0
//
// An interrupt controller for a core with a CLIC interface: sources with a level each, of which the highest is offered
// to the core.  Of several that have one level, the one with the lowest number is.
//
// 1. A request is a pulse, which is offered in its own cycle, or a store, which is offered from the next cycle on.  It
//    stands until the core fetches the vector of its source: the controller sees the fetch on the instruction bus,
//    because the core itself does not say which request it has taken.  Nothing but the core's vectoring may fetch from
//    the table, so it lies alone in memory.  The register VECTORS says where the table is: it has what the core's mtvt
//    has.  A pulse in the very cycle of the fetch, or of a store that clears, is a new request: it stands.
// 2. Each source has the CLIC's word (clicintip, clicintie, clicintattr, clicintctl), whose bytes can be stored alone.
//    Beside these there are words that set or clear the bits of 32 sources by one store, as in the NVIC.  These, and
//    VECTORS, are accessed as whole, aligned words alone.
// 3. A level of 0 is none: the source is never offered.  Every source is an edge, vectored, and of machine mode.
module clic #(
    parameter int unsigned SOURCES = 64,  // 2 to 128
    localparam int unsigned ID = $clog2(SOURCES)
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic [SOURCES-1:0] request_i,  // pulses
    // The bus, as in timer_array.sv.
    input  logic               req_i,
    input  logic               we_i,
    input  logic [3:0]         be_i,
    input  logic [12:0]        addr_i,
    input  logic [31:0]        wdata_i,
    output logic [31:0]        rdata_o,
    output logic               err_o,
    // The core fetches an instruction, or a vector.
    input  logic               fetch_i,
    input  logic [31:2]        fetch_addr_i,
    // What is offered to the core.
    output logic               irq_o,
    output logic [ID-1:0]      irq_id_o,
    output logic [7:0]         irq_level_o,
    output logic [SOURCES-1:0] pending_o  // the sources whose requests stand at the beginning of the cycle
);
  localparam int unsigned WORDS = (SOURCES + 31) / 32;
  logic [31:ID+2] vectors;  // where the table is, which is aligned to its size
  logic fetches_vector;
  assign fetches_vector = fetch_i && fetch_addr_i[31:ID+2] == vectors;
  logic [SOURCES-1:0] pending, enabled;
  logic [7:0] level[SOURCES];

  // The highest level that asks, and the lowest source of that level.  A tree: each node takes the better of two.
  localparam int unsigned LEAVES = 1 << ID;
  logic [7:0] best_level[2*LEAVES];
  logic [ID-1:0] best_id[2*LEAVES];
  always_comb begin
    best_level[0] = '0;
    best_id[0] = '0;
    for (int unsigned k = 0; k < LEAVES; k++) begin
      best_level[LEAVES+k] = 8'd0;
      best_id[LEAVES+k] = ID'(k);
    end
    for (int unsigned k = 0; k < SOURCES; k++) begin
      if ((pending[k] || request_i[k]) && enabled[k]) best_level[LEAVES+k] = level[k];
    end
    for (int unsigned k = LEAVES - 1; k > 0; k--) begin
      if (best_level[2*k+1] > best_level[2*k]) begin
        best_level[k] = best_level[2*k+1];
        best_id[k] = best_id[2*k+1];
      end else begin
        best_level[k] = best_level[2*k];
        best_id[k] = best_id[2*k];
      end
    end
  end
  assign pending_o = pending;
  assign irq_o = best_level[1] != 0;
  assign irq_level_o = best_level[1];
  assign irq_id_o = best_id[1];

  // Stores: to a source's word (byte by byte), or to a word of 32 sources.
  logic of_source, of_group, of_vectors, known, write;
  logic [ID-1:0] source;
  localparam int unsigned WORD = WORDS > 1 ? $clog2(WORDS) : 1;
  logic [WORD-1:0] word;
  always_comb begin
    source = addr_i[2+:ID];
    word = addr_i[2+:WORD];
    of_source = addr_i[12] && 32'(addr_i[11:2]) < SOURCES;
    of_group = addr_i[12:6] == 7'd0 && addr_i[1:0] == 2'd0 && 32'(addr_i[3:2]) < WORDS && be_i == 4'hF;
    of_vectors = addr_i == clic_pkg::VECTORS_OFFSET && be_i == 4'hF;
    known = of_source || of_group || of_vectors;
    write = req_i && we_i && known;
  end
  logic [SOURCES-1:0] of_word;
  logic [31:0] pending_word, enabled_word;
  always_comb begin
    of_word = '0;
    pending_word = '0;
    enabled_word = '0;
    for (int unsigned k = 0; k < SOURCES; k++) begin
      if (32'(word) == k / 32) begin
        of_word[k] = write && of_group && wdata_i[k%32];
        pending_word[k%32] = pending[k];
        enabled_word[k%32] = enabled[k];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending <= '0;
      enabled <= '0;
      vectors <= '0;
      for (int unsigned k = 0; k < SOURCES; k++) level[k] <= '0;
    end else begin
      pending <= (pending
          & ~(fetches_vector ? SOURCES'(1) << fetch_addr_i[2+:ID] : '0)
          & ~(addr_i[5:4] == clic_pkg::PEND_CLEAR_GROUP ? of_word : '0))
          | request_i
          | (addr_i[5:4] == clic_pkg::PEND_SET_GROUP ? of_word : '0);
      if (addr_i[5:4] == clic_pkg::ENABLE_SET_GROUP) enabled <= enabled | of_word;
      if (addr_i[5:4] == clic_pkg::ENABLE_CLEAR_GROUP) enabled <= enabled & ~of_word;
      if (write && of_vectors) vectors <= wdata_i[31:ID+2];
      if (write && of_source) begin
        if (be_i[0]) pending[source] <= wdata_i[0] || request_i[source];
        if (be_i[1]) enabled[source] <= wdata_i[8];
        if (be_i[3]) level[source] <= wdata_i[31:24];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_o <= '0;
      err_o   <= 1'b0;
    end else begin
      err_o <= req_i && !known;
      if (!req_i || !known) rdata_o <= '0;
      else if (of_vectors) rdata_o <= {vectors, (ID+2)'(0)};
      else if (of_source) rdata_o <= {level[source], 8'hC3, 7'd0, enabled[source], 7'd0, pending[source]};
      else rdata_o <= addr_i[5] ? enabled_word : pending_word;
    end
  end
endmodule
