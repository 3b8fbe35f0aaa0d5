/* SPDX-License-Identifier: Apache-2.0
 *
 * What ARMv6-M and ARMv7-M record of a fault, and where they stand still then. */
#ifndef CARILLON_FAULT_RECORD_H
#define CARILLON_FAULT_RECORD_H

/* `cause`: the exception's number (IPSR).  `address` (BFAR) and `status` (CFSR): of ARMv7-M.  `sp`: where the frame is
 * that the exception has pushed.  `pc`: of the instruction. */
struct carillon_fault {
    uint32_t cause;
    uint32_t address;
    uint32_t status;
    uint32_t sp;
    uint32_t pc;
};
extern struct carillon_fault carillon_fault;
struct carillon_fault carillon_fault __attribute__((used));

/* The tool's runs end there. */
#define CARILLON_FAULT_END            \
    ".global carillon_port_faulted\n" \
    "carillon_port_faulted:\n"        \
    "   b carillon_port_faulted\n"    \
    "   .ltorg\n"

#endif
