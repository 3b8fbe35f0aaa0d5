// SPDX-License-Identifier: Apache-2.0
//
// The board cv32e40x-rtl: the core CV32E40X, the interrupt controller and the timer array.  Memory and the console
// stand outside, in runner.cpp, as does the clock.
//
// An access to data takes as long as its device: the two here answer in the next cycle.  Where there is nothing, the
// answer is an error.
module soc
  import cv32e40x_pkg::*;
#(
    localparam int unsigned SOURCES = 64,
    localparam int unsigned ID = $clog2(SOURCES),
    localparam int unsigned CELLS = 32,
    localparam int unsigned FIRST_CELL = 16  // the source of cell 0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Instructions.
    output logic        instr_req_o,
    input  logic        instr_gnt_i,
    output logic [31:0] instr_addr_o,
    input  logic        instr_rvalid_i,
    input  logic [31:0] instr_rdata_i,
    input  logic        instr_err_i,
    // Data outside of the devices here.
    output logic        data_req_o,
    input  logic        data_gnt_i,
    output logic        data_we_o,
    output logic [3:0]  data_be_o,
    output logic [31:0] data_addr_o,
    output logic [31:0] data_wdata_o,
    input  logic        data_rvalid_i,
    input  logic [31:0] data_rdata_i,
    input  logic        data_err_i,
    // What the runner looks at: the instruction that is done in this cycle, an access that is granted, expiries.
    output logic        retired_o,
    output logic [31:0] retired_pc_o,
    output logic        accessed_o,
    output logic        accessed_part_o,  // the first of two that a misaligned access takes
    output logic        accessed_store_o,
    output logic [31:0] accessed_addr_o,
    output logic [CELLS-1:0] request_o,
    output logic        refused_o,  // an access to data, with an error
    output logic        sleeps_o,
    // A register, as gdb numbers it, before that instruction.
    input  logic [5:0]  inspected_i,
    output logic [31:0] inspected_o
);
  localparam logic [31:0] ARRAY = 32'hFFFF_F000, CLIC = 32'h4001_0000, DEVICES = 32'h4002_0000;

  logic data_req, data_gnt, data_we, data_rvalid, data_err;
  logic [3:0] data_be;
  logic [31:0] data_addr, data_wdata, data_rdata;

  // Which device; and which one answers next.
  logic to_array, to_clic, here;
  assign to_array = data_addr[31:12] == ARRAY[31:12];
  assign to_clic = data_addr[31:13] == CLIC[31:13];
  assign here = to_array || (data_addr >= CLIC && data_addr < DEVICES);

  // Answers come in the order of the accesses: one to a device here waits until the one before, which goes outside, is
  // answered.  One that goes outside is answered later than a device here, which answers in the next cycle.
  logic outside, may;
  assign may = !outside || data_rvalid_i;
  assign data_req_o = data_req && !here;
  assign data_gnt = here ? may : data_gnt_i;
  assign data_we_o = data_we;
  assign data_be_o = data_be;
  assign data_addr_o = data_addr;
  assign data_wdata_o = data_wdata;

  logic device_req;
  assign device_req = data_req && here && may;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) outside <= 1'b0;
    else if (data_req_o && data_gnt_i) outside <= 1'b1;
    else if (data_rvalid_i) outside <= 1'b0;
  end

  logic answers;  // a device here does
  logic [31:0] array_rdata, clic_rdata;
  logic array_err, clic_err, nowhere;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answers <= 1'b0;
      nowhere <= 1'b0;
    end else begin
      answers <= device_req;
      nowhere <= device_req && !to_array && !to_clic;
    end
  end
  assign data_rvalid = answers || data_rvalid_i;
  assign data_rdata = answers ? array_rdata | clic_rdata : data_rdata_i;
  assign data_err = answers ? array_err | clic_err | nowhere : data_err_i;

  logic [CELLS-1:0] request;
  logic [SOURCES-1:0] pending;
  timer_array #(.CELLS(CELLS), .SOURCE(FIRST_CELL)) i_array (
      .clk_i, .rst_ni,
      .tick_i(1'b1),
      .req_i(device_req && to_array), .we_i(data_we), .be_i(data_be), .addr_i(data_addr[11:0]), .wdata_i(data_wdata),
      .rdata_o(array_rdata), .err_o(array_err),
      .request_o(request), .pending_i(pending[FIRST_CELL+:CELLS])
  );
  assign request_o = request;

  logic irq;
  logic [ID-1:0] irq_id;
  logic [7:0] irq_level;
  logic [SOURCES-1:0] requests;
  always_comb begin
    requests = '0;
    requests[FIRST_CELL+:CELLS] = request;
  end
  clic #(.SOURCES(SOURCES)) i_clic (
      .clk_i, .rst_ni,
      .request_i(requests),
      .req_i(device_req && to_clic), .we_i(data_we), .be_i(data_be), .addr_i(data_addr[12:0]), .wdata_i(data_wdata),
      .rdata_o(clic_rdata), .err_o(clic_err),
      .fetch_i(instr_req_o && instr_gnt_i), .fetch_addr_i(instr_addr_o[31:2]),
      .irq_o(irq), .irq_id_o(irq_id), .irq_level_o(irq_level), .pending_o(pending)
  );

  if_xif #(.X_NUM_RS(2)) xif ();
  cv32e40x_core #(
      .SMCLIC(1), .SMCLIC_ID_WIDTH(ID), .SMCLIC_INTTHRESHBITS(8), .A_EXT(0)
  ) i_core (
      .clk_i, .rst_ni, .scan_cg_en_i(1'b0),
      .boot_addr_i(32'h0000_0100), .dm_exception_addr_i('0), .dm_halt_addr_i('0),
      .mhartid_i('0), .mimpid_patch_i('0), .mtvec_addr_i(32'h0000_0100),
      .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i, .instr_err_i,
      .instr_memtype_o(), .instr_prot_o(), .instr_dbg_o(),
      .data_req_o(data_req), .data_gnt_i(data_gnt), .data_rvalid_i(data_rvalid), .data_addr_o(data_addr),
      .data_be_o(data_be), .data_we_o(data_we), .data_wdata_o(data_wdata), .data_rdata_i(data_rdata),
      .data_err_i(data_err), .data_exokay_i(1'b0),
      .data_memtype_o(), .data_prot_o(), .data_dbg_o(), .data_atop_o(),
      .mcycle_o(),
      .xif_compressed_if(xif), .xif_issue_if(xif), .xif_commit_if(xif), .xif_mem_if(xif), .xif_mem_result_if(xif),
      .xif_result_if(xif),
      .irq_i('0), .wu_wfe_i(1'b0),
      .clic_irq_i(irq), .clic_irq_id_i(irq_id), .clic_irq_level_i(irq_level), .clic_irq_priv_i(2'b11),
      .clic_irq_shv_i(1'b1),
      .fencei_flush_req_o(), .fencei_flush_ack_i(1'b1),
      .debug_req_i(1'b0), .debug_havereset_o(), .debug_running_o(), .debug_halted_o(),
      .fetch_enable_i(1'b1), .core_sleep_o(sleeps_o)
  );

  assign retired_o = i_core.wb_valid && i_core.ex_wb_pipe.last_op && !i_core.ex_wb_pipe.instr_meta.clic_ptr;
  assign retired_pc_o = i_core.ex_wb_pipe.pc;
  assign refused_o = data_rvalid && data_err;
  assign accessed_o = data_req && data_gnt;
  assign accessed_part_o = i_core.load_store_unit_i.lsu_split_0_o;
  assign accessed_store_o = data_we;
  assign accessed_addr_o = data_addr;

  // All are written at the end of the cycle in which the instruction is done.
  always_comb begin
    case (inspected_i)
      33: inspected_o = i_core.cs_registers_i.mstatus_rdata;
      34: inspected_o = i_core.cs_registers_i.mtvec_rdata;
      35: inspected_o = i_core.cs_registers_i.mtvt_rdata;
      36: inspected_o = i_core.cs_registers_i.mscratch_rdata;
      37: inspected_o = i_core.cs_registers_i.mepc_rdata;
      38: inspected_o = i_core.cs_registers_i.mcause_rdata;
      39: inspected_o = i_core.cs_registers_i.mintstatus_rdata;
      40: inspected_o = i_core.cs_registers_i.mintthresh_rdata;
      default: inspected_o = i_core.register_file_wrapper_i.register_file_i.mem[inspected_i[4:0]];
    endcase
  end
endmodule
