// SPDX-License-Identifier: Apache-2.0
//
// Written by hardware/registers.py from registers.toml.
package timer_array_pkg;
  localparam logic [11:0] START_OFFSET = 12'h800;
  localparam logic [11:0] STOP_OFFSET = 12'h804;
  localparam logic [11:0] ENABLE_OFFSET = 12'h808;
  localparam logic [11:0] DISABLE_OFFSET = 12'h80C;
  localparam logic [11:0] NOW_OFFSET = 12'h810;
  localparam logic [11:0] RESTART_OFFSET = 12'h814;
  localparam logic [11:0] DONE_OFFSET = 12'h818;
  localparam logic [11:0] MOVE_OFFSET = 12'h81C;
  localparam logic [11:0] CELLS_OFFSET = 12'hC00;
  localparam logic [2:0] COUNT_WORD = 3'd0;
  localparam logic [2:0] RELOAD_WORD = 3'd1;
  localparam logic [2:0] ADJUST_WORD = 3'd2;
  localparam logic [2:0] ARMS_WORD = 3'd3;
  localparam logic [2:0] FIRST_WORD = 3'd4;
endpackage
