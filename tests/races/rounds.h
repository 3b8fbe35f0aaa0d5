/* SPDX-License-Identifier: Apache-2.0
 *
 * Services of the time-triggered system around the end of a round and around a task that calls one, and a task's end
 * around its deadline: what is swept is how long before that T0 calls its service, or how long the task runs (sweep.h).
 *
 * SysTick, which no cell is here, counts instructions; a mode's start stops the cells that it does not use. */
#include "sweep.h"

#include "carillon/osektime.h"

enum { TIME, TIME_OF_NEXT, SWITCH, SWITCH_AGAIN, SWITCH_TWICE, MODE, DEADLINE };
static const uint8_t chosen[PROGRAMS] = {CHOSEN};
#define PROGRAM chosen[STATE->program]

enum { ROUND_OF = 1, VERDICT = 6, WRONG = 7 };
#define GRID 2000u /* when each mode's first task starts */
#define SWITCHER 4000u
#define WATCHED 6000u
#define LIMIT 6600u
#define NEARLY 500u /* what the watched task takes at least, and at most NEARLY + RUNS */
#define RUNS 200u
#define SLACK 60u /* what holds a start up at most: the log's lock, the switch's own look at the time */

static volatile uint32_t origin; /* when the first task started, in the first round */
static volatile uint8_t missed;
static volatile uint8_t ended;
static volatile uint32_t ended_at;

static void wrong(unsigned what)
{
    note(WORD(OUT, WRONG, what));
}

/* SysTick counts 200 MHz down, of which an instruction of 64 ns takes 64 / 5. */
static uint32_t now(void)
{
    return ((UINT32_C(0xFFFFFF) - CARILLON_REGISTER(UINT32_C(0xE000E018))) * 5u) / 64u;
}

static void count_instructions(void)
{
    CARILLON_REGISTER(UINT32_C(0xE000E014)) = UINT32_C(0xFFFFFF);
    CARILLON_REGISTER(UINT32_C(0xE000E018)) = 0u;
    CARILLON_REGISTER(UINT32_C(0xE000E010)) = 5u; /* the processor's clock, no interrupt */
}

static volatile uint32_t gaps; /* of the switches until now: a mode begins GAP after the end of the round before it */

/* A mode's first task: it starts where the rounds before it say, whatever their modes are. */
static void start(unsigned mode)
{
    static unsigned last = ttAppMode_A;
    const uint32_t at = now();
    if (origin == 0u) {
        origin = at;
    }
    gaps += (mode != last) ? GAP : 0u;
    last = mode;
    const uint32_t passed = ((at - origin) + SLACK) - gaps;
    if ((passed % ROUND) > (2u * SLACK)) {
        note(WORD(OUT, WRONG, passed % ROUND)); /* with SLACK added */
    }
    note(WORD(OUT, ROUND_OF + mode, passed / ROUND));
    if (ttGetActiveApplicationMode() != mode) {
        wrong(2u);
    }
}

ttTASK(GridA)
{
    start(ttAppMode_A);
}

ttTASK(GridB)
{
    start(ttAppMode_B);
}

ttTASK(GridC)
{
    start(ttAppMode_C);
}

ttTASK(Switcher)
{
    if ((PROGRAM == SWITCH_TWICE) && ((now() - origin) < ROUND)) {
        note(WORD(STATUS, ttSwitchAppMode(ttAppMode_C), 0u));
    }
}

ttTASK(Watched)
{
    if (PROGRAM == DEADLINE) {
        carillon_port_delay((ended == 0u) ? (NEARLY + STATE->instruction) : (NEARLY / 2u));
        ended++;
        if (ended == 1u) {
            ended_at = now();
        }
    }
}

void ttErrorHook(ttStatusType error)
{
    missed++;
    if ((error != TT_E_OS_DEADLINE) || (carillon_missed_task() != WATCHED_NUMBER)) {
        wrong(3u);
    }
}

static uint32_t target;

/* The service comes so long after `at`, an instruction later than in the last run's. */
static void arm_at(uint32_t at)
{
    target = at;
    const uint32_t left = at - now();
    if (left < (STATE->instruction + 200u)) {
        wrong(4u);
    }
    carillon_port_delay(left + SLACK - STATE->instruction);
    armed = 1u;
}

static void disarm_at(void)
{
    if (now() >= target) {
        interfered = 1u;
        STATE->swept++;
    }
    armed = 0u;
}

/* The time of the round, between two looks at the instructions; what they differ by is the same at all times. */
static uint32_t least;
static uint32_t most;

static uint32_t look(uint32_t *before, uint32_t *after)
{
    ttTickType time = ROUND;
    *before = now();
    const ttStatusType status = ttGetScheduleTime(&time);
    *after = now();
    if ((status != TT_E_OS_OK) || (time >= ROUND)) {
        wrong(5u);
    }
    return time;
}

static void look_first(void)
{
    uint32_t before;
    uint32_t after;
    const uint32_t time = look(&before, &after);
    least = (before + ROUND) - time;
    most = ((after + 1u) + ROUND) - time;
}

static bool fits(uint32_t time, uint32_t before, uint32_t after, uint32_t gap)
{
    const uint32_t from = (before + (2u * ROUND)) - (most + gap);
    const uint32_t to = (after + 1u + (2u * ROUND)) - (least + gap);
    return (((time + (10u * ROUND)) - from) % ROUND) <= (to - from);
}

/* A mode may have followed whose first task has not started yet. */
static void look_again(void)
{
    uint32_t before;
    uint32_t after;
    const uint32_t time = look(&before, &after);
    if (!fits(time, before, after, gaps) && !fits(time, before, after, gaps + GAP)) {
        wrong(6u);
    }
}

static void sweep_service(void)
{
    const uint32_t end = origin + (ROUND - GRID);
    look_first();
    switch (PROGRAM) {
    case TIME:
        arm_at(end);
        look_again();
        look_again();
        break;
    case TIME_OF_NEXT:
        (void)ttSwitchAppMode(ttAppMode_B);
        arm_at(end);
        look_again();
        look_again();
        break;
    case SWITCH:
        arm_at(end);
        note(WORD(ERROR, ttSwitchAppMode(ttAppMode_B), 0u));
        break;
    case SWITCH_AGAIN:
        (void)ttSwitchAppMode(ttAppMode_B);
        arm_at(end);
        note(WORD(ERROR, ttSwitchAppMode(ttAppMode_C), 0u));
        break;
    case SWITCH_TWICE:
        arm_at(origin + (SWITCHER - GRID));
        note(WORD(ERROR, ttSwitchAppMode(ttAppMode_B), 0u));
        break;
    default: { /* MODE */
        (void)ttSwitchAppMode(ttAppMode_B);
        arm_at(end);
        const ttAppModeType first = ttGetActiveApplicationMode();
        const ttAppModeType second = ttGetActiveApplicationMode();
        if ((first == ttAppMode_B) && (second != ttAppMode_B)) {
            wrong(7u);
        }
        break;
    }
    }
    disarm_at();
}

/* 0: it ended before its deadline; 1: so near that the handler's end may be after it; 2: after it. */
static unsigned place(void)
{
    const uint32_t deadline = origin + (LIMIT - GRID);
    if ((ended_at + SLACK) < deadline) {
        return 0u;
    }
    return (ended_at > (deadline + SLACK)) ? 2u : 1u;
}

TASK(T0)
{
    while (origin == 0u) {
    }
    if (PROGRAM != DEADLINE) {
        sweep_service();
    }
    carillon_port_delay(3u * ROUND);
    if (PROGRAM == DEADLINE) {
        note(WORD(OUT, VERDICT, ((uint32_t)missed << 4) | place()));
        interfered = (STATE->instruction < RUNS) ? 1u : 0u;
        STATE->swept += interfered;
    }
    note(WORD(OUT, 0u, ttGetActiveApplicationMode()));
    if (ttGetOSEKOSState() != ttOSEKOSUP) {
        wrong(8u);
    }
    if (PROGRAM != DEADLINE) {
        look_again();
    }
    finish();
}

int main(void);
int main(void)
{
    if (STATE->magic != MAGIC) {
        carillon_port_delay(4u * ROUND); /* the emulator cannot have a timer begin before power-up */
    }
    count_instructions();
    start_sweep();
    ttStartOS(ttOS_DEFAULTAPPMODE);
}
