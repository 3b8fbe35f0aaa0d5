/* SPDX-License-Identifier: Apache-2.0 */
#include "tpl_os.h"

#include "carillon_port.h" /* the test's: it presses the button, and looks at what happens */
#include "report.h"

#define APP_Task_blink_START_SEC_VAR_32BIT
#include "tpl_memmap.h"
STATIC VAR(uint32, OS_APPL_DATA) steps = 0;
#define APP_Task_blink_STOP_SEC_VAR_32BIT
#include "tpl_memmap.h"

#define OS_START_SEC_CODE
#include "tpl_memmap.h"
FUNC(int, OS_APPL_CODE) main(void)
{
    report("main", 0u);
    StartOS(OSDEFAULTAPPMODE);
    return 0;
}
#define OS_STOP_SEC_CODE
#include "tpl_memmap.h"

DeclareAlarm(blinking);
DeclareTask(toggle);

#define APP_Task_press_START_SEC_CODE
#include "tpl_memmap.h"
TASK(press)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_pushed);
    WaitEvent(lit);
    ClearEvent(lit);
    carillon_port_pend(CARILLON_ISR_SOURCE_pushed);
    TerminateTask();
}
#define APP_Task_press_STOP_SEC_CODE
#include "tpl_memmap.h"

#define APP_Task_toggle_START_SEC_CODE
#include "tpl_memmap.h"
TASK(toggle)
{
    VAR(boolean, AUTOMATIC) on = TRUE;
    if (SetRelAlarm(blinking, 2, 3) != E_OK) {
        CancelAlarm(blinking);
        on = FALSE;
    }
    report("toggle", on);
    TerminateTask();
}
#define APP_Task_toggle_STOP_SEC_CODE
#include "tpl_memmap.h"

#define APP_Task_blink_START_SEC_CODE
#include "tpl_memmap.h"
TASK(blink)
{
    P2VAR(uint32, AUTOMATIC, OS_APPL_DATA) counted = &steps;
    *counted = *counted + 1u;
    report("blink", steps);
    if (steps == STEPS) {
        SetEvent(press, lit);
    }
    TerminateTask();
}
#define APP_Task_blink_STOP_SEC_CODE
#include "tpl_memmap.h"

#define APP_ISR_pushed_START_SEC_CODE
#include "tpl_memmap.h"
ISR(pushed)
{
    ActivateTask(toggle);
    CallTerminateISR2();
}
#define APP_ISR_pushed_STOP_SEC_CODE
#include "tpl_memmap.h"
