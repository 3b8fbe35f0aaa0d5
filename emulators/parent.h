/* SPDX-License-Identifier: Apache-2.0 */
/* So that no emulator is left running when the tool was killed. */
#ifndef CARILLON_EMULATORS_PARENT_H
#define CARILLON_EMULATORS_PARENT_H

#ifdef __linux__
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* From now on this process is killed when the process is that CARILLON_PARENT names and that started it: at once if
 * that has ended already. */
static inline void end_with_parent(void)
{
    const char *const parent = getenv("CARILLON_PARENT");
    if (parent != NULL) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if ((long)getppid() != atol(parent)) {
            (void)raise(SIGKILL);
        }
    }
}
#else
static inline void end_with_parent(void)
{
}
#endif

#endif
