/* SPDX-License-Identifier: Apache-2.0
 *
 * The RP2040's second stage: the bootrom copies the first 256 bytes of flash to RAM and runs them if the last four are
 * the checksum of the others (RP2040 datasheet, section 2.8.1).  It makes the flash readable at its addresses and starts
 * the image behind it.
 *
 * The flash is read serially, by its command 03h, which every such chip has, at a quarter of the system clock: 31.25 MHz
 * at 125 MHz.  scripts/boot2.py makes boot2.c of this file. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .set SSI, 0x18000000 /* section 4.10.13 */
    .set SSI_CTRLR0, 0x00
    .set SSI_CTRLR1, 0x04
    .set SSI_SSIENR, 0x08
    .set SSI_SER, 0x10
    .set SSI_BAUDR, 0x14
    .set SSI_SPI_CTRLR0, 0xF4
    .set VTOR, 0xE000ED08
    .set IMAGE, 0x10000100

    .section .text
    .global boot2
    .thumb_func
boot2:
    ldr r0, =SSI
    movs r1, #0
    str r1, [r0, #SSI_SSIENR] /* it can be set up while it is off */
    str r1, [r0, #SSI_CTRLR1] /* one word at a time */
    movs r1, #4
    str r1, [r0, #SSI_BAUDR]
    movs r1, #1
    str r1, [r0, #SSI_SER]
    ldr r1, =(31 << 16) | (3 << 8) /* words of 32 bits; a command is sent, and words are read */
    str r1, [r0, #SSI_CTRLR0]
    ldr r1, =(0x03 << 24) | (2 << 8) | (6 << 2) /* the command has 8 bits, and an address of 24 follows */
    movs r2, #SSI_SPI_CTRLR0
    str r1, [r0, r2]
    movs r1, #1
    str r1, [r0, #SSI_SSIENR]

    ldr r0, =IMAGE
    ldr r1, =VTOR
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r1, [r0, #4]
    bx r1
    .pool
