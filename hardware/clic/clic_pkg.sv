// SPDX-License-Identifier: Apache-2.0
//
// The words of the interrupt controller that set and clear bits of 32 sources: bits 5 and 4 of the address.
// And where it is told the place of the table of vectors.
package clic_pkg;
  localparam logic [1:0] PEND_SET_GROUP = 2'd0;
  localparam logic [1:0] PEND_CLEAR_GROUP = 2'd1;
  localparam logic [1:0] ENABLE_SET_GROUP = 2'd2;
  localparam logic [1:0] ENABLE_CLEAR_GROUP = 2'd3;
  localparam logic [12:0] VECTORS_OFFSET = 13'h100;
endpackage
