# SPDX-License-Identifier: Apache-2.0
"""Programs for FreeRTOS run: a demo as there are many, and one that checks what the calls return."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import MPS, RV32, Laboratory, source

SCHEDULE = '[time]\nclock = "periodic"\ntick = "1ms"\nheap = 1024\n' + "".join(
    f'[thread.{name}]\npriority = {priority}\nstack = 2048\nnew = true\nmutexes = ["Light"]\n'
    for name, priority in {"Idle": 0, "One": 1, "Two": 2, "Three": 3}.items()
)


@pytest.mark.parametrize("board", [MPS, RV32])
def test_a_demo_of_freertos_runs(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE, source(__file__, "blinky.c"), board, ticks=100_000_000 if board == MPS else 40_000_000)
    lights = [("light", n % 2) for n in range(1, 15)]
    # The timer runs before the tasks in the tick in which both are due.
    wanted = [*lights[:4], ("timer", 1000), *lights[4:9], ("timer", 2000), *lights[9:], ("timer", 3000)]
    assert outcome.reported == [*wanted, ("light", 1), ("notified", 1)]


@pytest.mark.parametrize("board", [MPS, RV32])
def test_the_calls_of_freertos_return_what_they_should(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE, source(__file__, "calls.c"), board, ticks=10_000_000)
    assert outcome.reported == [*(("done", k) for k in range(6)), ("failures", 0)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("vTaskPrioritySet(NULL, 2u);", "priorities are the schedule's"),
        ("(void)xSemaphoreCreateMutex();", "write the mutexes of the schedule"),
    ],
)
def test_what_the_schedule_cannot_give_does_not_compile(lab: Laboratory, call: str, message: str) -> None:
    schedule = SCHEDULE.replace('mutexes = ["Light"]\n', "")
    code = f'#include "FreeRTOS.h"\n#include "semphr.h"\nint main(void)\n{{\n    {call}\n    vTaskStartScheduler();\n}}\n'
    with pytest.raises(AssertionError, match=message):
        lab.run(schedule, code, MPS, ticks=1)


def test_another_tick_than_the_schedules_does_not_compile(lab: Laboratory) -> None:
    code = '#define configTICK_RATE_HZ 100\n#include "FreeRTOS.h"\n#include "task.h"\nint main(void) { vTaskStartScheduler(); }\n'
    with pytest.raises(AssertionError, match=r"is not what tick of \[time\] says"):
        lab.run(SCHEDULE, code, MPS, ticks=1)


def test_a_task_that_runs_is_not_deleted_by_another_one(lab: Laboratory) -> None:
    code = """
    #include "FreeRTOS.h"
    #include "task.h"
    static TaskHandle_t low;
    static void works(void *argument) { (void)argument; for (;;) { } }
    static void deletes(void *argument) { (void)argument; vTaskDelay(2u); vTaskDelete(low); report("deleted", 1u); }
    void ShutdownHook(StatusType error) { report("shut", error); }
    int main(void)
    {
        (void)xTaskCreate(works, "Low", 0u, NULL, 1u, &low);
        (void)xTaskCreate(deletes, "High", 0u, NULL, 2u, NULL);
        vTaskStartScheduler();
    }
    """
    outcome = lab.run(SCHEDULE + '[osek]\nhooks = ["shutdown"]\n', code, MPS, ticks=1_000_000)
    assert outcome.reported == [("shut", 7)], "E_OS_STATE"


def test_a_program_in_cplusplus_uses_both(lab: Laboratory, tmp_path: Path) -> None:
    headers = ["cmsis_os2.h", "FreeRTOS.h", "task.h", "queue.h", "semphr.h", "timers.h", "event_groups.h"]
    includes = "".join(f'#include "{name}"\n' for name in [*headers, "carillon_port.h", "report.h"])
    code = """
    static void work(void *)
    {
        const osMutexId_t mutex = osMutexNew(nullptr);
        report("locked", osMutexAcquire(mutex, 0) == osOK && xSemaphoreGetMutexHolder(mutex) == osThreadGetId());
        carillon_port_halt();
    }
    int main()
    {
        xTaskCreate(work, "Work", configMINIMAL_STACK_SIZE, nullptr, 2, nullptr);
        vTaskStartScheduler();
    }
    """
    (tmp_path / "main.cpp").write_text(includes + code, encoding="utf-8")
    text = f'[system]\nname = "app"\nsources = ["main.cpp"]\n{SCHEDULE}'
    (tmp_path / "schedule.toml").write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "report.h", tmp_path)
    assert lab.run_file(tmp_path / "schedule.toml", MPS, ticks=1_000_000).reported == [("locked", 1)]
