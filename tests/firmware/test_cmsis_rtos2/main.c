/* SPDX-License-Identifier: Apache-2.0
 *
 * Run every case, and say how many of its checks fail. */
#include "cases.h"

#include "carillon_port.h"
#include "report.h"

volatile osStatus_t isr_status;
volatile uint32_t isr_word;
void *volatile isr_pointer;
osThreadId_t main_thread;

static uint32_t failures;

void failed(uint32_t line)
{
    failures++;
    report("failed", line);
}

static void (*volatile wanted)(void);
static void call_it(void)
{
    wanted();
    wanted = NULL;
}
static struct carillon_alarm interrupt = CARILLON_ALARM_OF_FUNCTION(call_it);

void in_isr(void (*function)(void))
{
    wanted = function;
    (void)carillon_alarm_start(&interrupt, 1u, 1u);
    while (wanted != NULL) {
    }
}

static osThreadId_t begin_as(osThreadFunc_t function, void *argument, osPriority_t priority, uint32_t bits)
{
    const osThreadAttr_t attr = {NULL, bits, NULL, 0u, NULL, 0u, priority, 0u, 0u};
    return osThreadNew(function, argument, &attr);
}
osThreadId_t begin(osThreadFunc_t function, void *argument, osPriority_t priority)
{
    return begin_as(function, argument, priority, osThreadDetached);
}
osThreadId_t begin_joinable(osThreadFunc_t function, void *argument, osPriority_t priority)
{
    return begin_as(function, argument, priority, osThreadJoinable);
}
void sleeps_for_ever(void *argument)
{
    (void)argument;
    (void)osDelay(osWaitForever);
}
void yields_for_ever(void *argument)
{
    (void)argument;
    for (;;) {
        (void)osThreadYield();
    }
}
void ends_itself(void *argument)
{
    (void)argument;
    (void)osThreadTerminate(osThreadGetId());
    failed(__LINE__);
}

#define CASE(name) void name(void);
#include "list.h"
#undef CASE
#define CASE(name) {#name, name},
static const struct {
    const char *name;
    void (*function)(void);
} cases[] = {
#include "list.h"
};

static void every(void *argument)
{
    (void)argument;
    main_thread = osThreadGetId();
    const uint32_t bytes = carillon_rtos_free_bytes();
    for (uint32_t k = 0u; k < sizeof cases / sizeof cases[0]; k++) {
        failures = 0u;
        (void)osThreadFlagsClear(0x7FFFFFFFu);
        cases[k].function();
        (void)osDelay(30u); /* what it has left goes on and ends */
        if (carillon_rtos_free_bytes() != bytes || osThreadGetCount() != 1u) {
            failed(__LINE__);
        }
        report(cases[k].name, failures);
    }
    carillon_port_halt();
}

int main(void)
{
    const osThreadAttr_t attr = {"main", 0u, NULL, 0u, NULL, 2048u, osPriorityNormal, 0u, 0u};
    if (osKernelGetState() != osKernelInactive || osKernelStart() != osError || osKernelInitialize() != osOK ||
        osKernelGetState() != osKernelReady || osThreadNew(every, NULL, &attr) == NULL) {
        failed(__LINE__);
    }
    (void)osKernelStart();
    return 1;
}
