/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel, and waiting for the time. */
#include "cases.h"

static void initialize(void)
{
    isr_status = osKernelInitialize();
}
void TC_osKernelInitialize_1(void)
{
    CHECK(osKernelInitialize() == osError);
    in_isr(initialize);
    CHECK(isr_status == osErrorISR);
}

static void info(void)
{
    char id[10];
    osVersion_t version;
    isr_status = osKernelGetInfo(&version, id, sizeof id);
}
void TC_osKernelGetInfo_1(void)
{
    char id[4] = "";
    osVersion_t version = {0u, 0u};
    CHECK(osKernelGetInfo(&version, id, sizeof id) == osOK && version.api != 0u && version.kernel != 0u &&
          id[0] == 'C');
    CHECK(osKernelGetInfo(NULL, NULL, 4u) == osOK);
    id[0] = '\0';
    CHECK(osKernelGetInfo(NULL, id, 0u) == osOK && id[0] == '\0');
    isr_status = osError;
    in_isr(info);
    CHECK(isr_status == osOK);
}

static void state(void)
{
    isr_word = (uint32_t)osKernelGetState();
}
void TC_osKernelGetState_1(void)
{
    CHECK(osKernelGetState() == osKernelRunning);
    (void)osKernelLock();
    CHECK(osKernelGetState() == osKernelLocked);
    (void)osKernelUnlock();
    in_isr(state);
    CHECK(isr_word == osKernelRunning);
}

static void start(void)
{
    isr_status = osKernelStart();
}
void TC_osKernelStart_1(void)
{
    CHECK(osKernelStart() == osError);
    in_isr(start);
    CHECK(isr_status == osErrorISR);
}

static void lock(void)
{
    isr_status = (osStatus_t)osKernelLock();
}
void TC_osKernelLock_1(void)
{
    CHECK(osKernelLock() == 0);
    CHECK(osKernelLock() == 1 && osKernelGetState() == osKernelLocked);
    CHECK(osDelay(1u) == osError); /* nobody waits while the kernel is locked */
    (void)osKernelUnlock();
    in_isr(lock);
    CHECK(isr_status == osErrorISR);
}

static void unlock(void)
{
    isr_status = (osStatus_t)osKernelUnlock();
}
void TC_osKernelUnlock_1(void)
{
    (void)osKernelLock();
    CHECK(osKernelUnlock() == 1 && osKernelGetState() == osKernelRunning);
    CHECK(osKernelUnlock() == 0);
    in_isr(unlock);
    CHECK(isr_status == osErrorISR);
}

static void restore(void)
{
    isr_status = (osStatus_t)osKernelRestoreLock(0);
}
void TC_osKernelRestoreLock_1(void)
{
    CHECK(osKernelRestoreLock(1) == 1 && osKernelGetState() == osKernelLocked);
    CHECK(osKernelRestoreLock(0) == 0 && osKernelGetState() == osKernelRunning);
    in_isr(restore);
    CHECK(isr_status == osErrorISR);
}

static void count(void)
{
    isr_word = osKernelGetTickCount();
}
void TC_osKernelGetTickCount_1(void)
{
    const uint32_t before = osKernelGetTickCount();
    (void)osDelay(3u);
    CHECK(osKernelGetTickCount() - before == 3u);
    in_isr(count);
    CHECK(isr_word - before == 4u);
}

static void frequency(void)
{
    isr_word = osKernelGetTickFreq();
}
void TC_osKernelGetTickFreq_1(void)
{
    CHECK(osKernelGetTickFreq() == 1000u);
    in_isr(frequency);
    CHECK(isr_word == 1000u);
}
void TC_osKernelGetSysTimerCount_1(void)
{
    const uint32_t before = osKernelGetSysTimerCount();
    (void)osDelay(2u);
    CHECK(osKernelGetSysTimerCount() - before >= 2u * (osKernelGetSysTimerFreq() / 1000u));
}
void TC_osKernelGetSysTimerFreq_1(void)
{
    CHECK(osKernelGetSysTimerFreq() != 0u);
}

void TC_GenWaitBasic(void)
{
    (void)osDelay(1u);
    TAKES(10u, osDelay(10u) == osOK);
    TAKES(20u, osDelayUntil(osKernelGetTickCount() + 20u) == osOK);
    TAKES(1000u, osDelayUntil(osKernelGetTickCount() + 1000u) == osOK);
    CHECK(osDelayUntil(osKernelGetTickCount()) == osErrorParameter);
    CHECK(osDelayUntil(osKernelGetTickCount() - 1u) == osErrorParameter);
}

static void delay(void)
{
    isr_status = osDelay(10u);
    isr_word = (uint32_t)osDelayUntil(10u);
}
void TC_GenWaitInterrupts(void)
{
    in_isr(delay);
    CHECK(isr_status == osErrorISR && isr_word == (uint32_t)osErrorISR);
}
