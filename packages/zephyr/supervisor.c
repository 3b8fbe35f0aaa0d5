/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's call is Zephyr's from threads, whose stack is the process stack, and the schedule's from a task on the main
 * stack.  Zephyr's calls from there, of an error in a handler, have another number than 0. */
void __wrap_z_arm_svc(void);

__attribute__((naked)) void __wrap_z_arm_svc(void)
{
    __asm__ volatile("   mov r0, lr\n"
                     "   movs r1, #4\n"
                     "   tst r0, r1\n"
                     "   bne 1f\n"
                     "   ldr r0, [sp, #24]\n" /* the return address in the exception's frame */
                     "   subs r0, #2\n"
                     "   ldrb r0, [r0]\n"
                     "   cmp r0, #0\n"
                     "   bne 1f\n"
                     "   ldr r0, =SVC_Handler\n"
                     "   bx r0\n"
                     "1: ldr r0, =__real_z_arm_svc\n"
                     "   bx r0\n");
}
