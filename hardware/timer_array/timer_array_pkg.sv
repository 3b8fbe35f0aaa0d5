// SPDX-License-Identifier: Apache-2.0
//
// Written by hardware/registers.py from registers.toml.
package timer_array_pkg;
  localparam logic [11:0] START_OFFSET = 12'h000;
  localparam logic [11:0] STOP_OFFSET = 12'h004;
  localparam logic [11:0] ENABLE_OFFSET = 12'h008;
  localparam logic [11:0] DISABLE_OFFSET = 12'h00C;
  localparam logic [11:0] NOW_OFFSET = 12'h010;
  localparam logic [11:0] RESTART_OFFSET = 12'h014;
  localparam logic [11:0] CELLS_OFFSET = 12'h200;
  localparam logic [1:0] COUNT_WORD = 2'd0;
  localparam logic [1:0] RELOAD_WORD = 2'd1;
  localparam logic [1:0] ADJUST_WORD = 2'd2;
  localparam logic [1:0] ARMS_WORD = 2'd3;
endpackage
