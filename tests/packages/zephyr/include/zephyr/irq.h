/* SPDX-License-Identifier: Apache-2.0
 *
 * A direct interrupt's handler, in the section by which the linker puts it into the table. */
#define IRQ_DIRECT_CONNECT(number, priority, handler, flags)                                        \
    {                                                                                               \
        static void (*const entry)(void) __attribute__((used, section(".irq." #number))) = handler; \
        _Static_assert(((priority) >= 0) && ((flags) == 0), "what the macro takes");                \
    }
