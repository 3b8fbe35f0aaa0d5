/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * QEMU TCG plugin: watches an unmodified image and records when interrupt handlers are entered and left and when
 * watched functions are called and return.  Guest timing does not change.
 *
 * What depends on the processor is in <port>/trace_processor.h.  The few functions of QEMU's plugin interface
 * that it uses are declared here.  They are the same in every version of the interface but for two things, which are
 * found out when the plugin is loaded:
 *
 * 1. QEMU reads qemu_plugin_version when it has loaded the plugin, and refuses what it does not support: up to 8.2 more
 *    than 1, from 9.0 on less than 2.  The plugin's constructor runs before QEMU reads it.  A function that came with
 *    version 2 tells the two apart.
 * 2. From version 3 on (9.1) qemu_plugin_insn_data copies the bytes; before, it returned where they are.  QEMU says its
 *    own version to qemu_plugin_install.
 *
 * Arguments: map=FILE, out=FILE, limit=N (instructions after the first start of a round), base=N and code=N (where the
 * code region begins, and its bytes), warm_up=N (instructions before reset), pace=N (instructions in a second: the
 * processor is no faster than that by the host's clock), recording=1 (QEMU records the run, to replay it).  For memory,
 * also monitor=SOCKET and memory=FILE.  The map's lines are "address kind value".  The kinds are:
 * - V where a handler is entered, and what is recorded of it; T the same place, and an application's function that the
 *   handler runs;
 * - F a function to watch, B the load of a start list, L the branch that lowers the execution priority, H the end of
 *   the run;
 * - C and U the beginning and the end of a call that may end anywhere within;
 * - R the store that names the context to resume, S and X the loads that name the context that suspends itself or ends;
 * - M a mark, which is recorded each time it is executed.
 * Of schedule tables, each with bytes as its value: s, t, n and g the functions that start, stop, name the next one,
 * and go on with it.  E what says what their steps are, and D their statuses.
 * Z memory that is saved when the run has ended, and its bytes.  QEMU saves it: it is asked at the socket of its
 * monitor, because plugins cannot read memory before version 4 of the interface.  What the n-th line names is in
 * FILE.n.
 *
 * A handler is entered where its first instruction follows something that does not lead there.  A function may be one
 * source's vector and another source's handler may call it, or end in a branch to it.  That an interrupt comes between
 * the branch and the function, and enters that very function, cannot be: of a task one activation runs at a time.
 *
 * A handler is left by an instruction of its own, or (RETURN_LEAVES) where a return finds no call of the handler to
 * return from.  Calls are counted for each handler on a stack.  What a call or a conditional return did is decided when
 * the next instruction of the same handler is seen, because an interrupt may come between the two:
 * 1. A call counts once the function that it calls is executed, or the handler that came between has been left.
 * 2. A conditional return that an interrupt follows at once is in doubt: it has returned, or it was skipped.  When the
 *    interrupt's handler has been left, what follows in memory follows in time only if it was skipped.
 * 3. So records are held back while something is in doubt, and those of a return that was carried out are inserted
 *    where the doubt began.  Those of later doubts move on then.
 *
 * What the plugin cannot follow ends the run with an error that says why: a trace is whole, or there is none.  The last
 * record of a whole one is RECORD_HALT, and QEMU that ends by itself writes none.
 *
 * A context has a frame of its own, above that of the handler or context that resumes it.  Where it suspends itself,
 * its frame is put aside with all above it.  At the end of a slice that is the handler that ended the slice, and
 * that goes on when the context does.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} qemu_info_t;

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
void *qemu_plugin_scoreboard_new(size_t) __attribute__((weak));
__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_scoreboard_new != NULL) {
        qemu_plugin_version = 2;
    }
}
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *, size_t);
const void *insn_data_before_3(const struct qemu_plugin_insn *) __asm__("qemu_plugin_insn_data");
#define COPIES_INSN_DATA 3
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                      void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *), int, int, void *);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);

/* An image that has started no round after so many instructions never will. */
#define NEVER_BEGUN UINT64_C(500000000) /* beside the warm-up */

enum flow { PLAIN, JUMP, CALL, RETURN, HANDLER_RETURN };
enum region { NO_REGION, BEGIN, END };

#include "parent.h"
#include "trace_processor.h"

/* From the instruction that leaves a handler to the one with which what it preempted goes on. */
#ifndef RETURN_TAKES
#define RETURN_TAKES 1u
#endif
#include "trace_records.h"

struct insn {
    uint32_t address;
    uint32_t target;  /* of a call or a jump, 0 if it is not known */
    uint32_t handler; /* of a vector */
    uint32_t runs;    /* of a vector: an application's function that its handler runs, 0 if it runs none */
    uint8_t size, flow;
    bool vector, watched, begin, halt, mark, known;
    uint8_t region;   /* what happens to the regions of the frame: BEGIN or END */
    uint8_t context;  /* record of a load or store that names a context, 0: none */
    uint8_t status;   /* record of a store to a schedule table's status, 0: none */
    bool conditional; /* what follows it in memory may follow it in time */
};

struct frame {
    uint32_t context; /* the context that runs here; 0: a handler */
    uint32_t handler;
    const struct insn *entry; /* where the handler was entered */
    uint32_t depth;           /* calls not returned from */
    const struct insn *last;  /* executed in this frame, its effect not yet applied */
    uint64_t last_index;
    uint32_t watched[64];       /* functions being watched, innermost last */
    uint32_t watched_depth[64]; /* and the depth in which each was called */
    uint32_t watching;
    uint32_t region[64]; /* calls when a task was begun: within, how many there are tells nothing */
    uint32_t regions;
    uint64_t doubt; /* whether `last`, a conditional return, was carried out is not known; 0: nothing is in doubt */
    size_t place;   /* where its records belong if it was */
};

struct context {
    uint32_t address;
    struct frame *frames; /* put aside while it is suspended: its own, and those above it */
    uint32_t count, space;
};

static struct insn *table;
static uint32_t code_base, code_bytes = 0x100000;
static struct frame frames[512];
static uint32_t top; /* frames[0] is what runs when no handler does */
static struct context contexts[256];
static uint32_t context_count;
static uint64_t executed, limit = UINT64_MAX, never = NEVER_BEGUN;
static bool begun, copies;
static bool recording; /* by QEMU, which has to end by itself then */
static bool ended;
static FILE *out;

/* Records that are not written yet; while something is in doubt none is. */
static struct record_line *lines;
static size_t line_count, line_space;
static uint32_t doubts;
static uint64_t last_doubt; /* they are numbered, from 1 */

/* The plugin cannot go on, or what it would record is not what happens: say why; QEMU ends with an error. */
__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    fprintf(stderr, "carillon: ");
    vfprintf(stderr, why, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    fflush(stdout);
    _Exit(1);
}

static void write_lines(void)
{
    if (fwrite(lines, sizeof *lines, line_count, out) != line_count) {
        give_up("cannot write the records");
    }
    line_count = 0;
}

/* A record before the one at `place`. */
static void insert(size_t place, uint64_t time, enum record kind, uint32_t value)
{
    if (line_count == line_space) {
        line_space = line_space == 0 ? 1024 : 2 * line_space;
        lines = realloc(lines, line_space * sizeof *lines);
        if (lines == NULL) {
            give_up("no memory for the records");
        }
    }
    memmove(&lines[place + 1], &lines[place], (line_count - place) * sizeof *lines);
    lines[place] = (struct record_line){time, (uint32_t)kind, value};
    line_count++;
}

static void record(uint64_t time, enum record kind, uint32_t value)
{
    insert(line_count, time, kind, value);
}

struct data {
    uint32_t base, bytes;
};

/* Memory to save, and where QEMU's monitor and the files are; NULL: nobody wants it. */
static struct data saved[512];
static uint32_t saved_count;
static const char *monitor, *memory;

/* Whether QEMU has carried out a command; its answer, a line, is in `answer`. */
static char answer[16384];
static bool commanded(FILE *qmp, const char *command)
{
    if (fputs(command, qmp) < 0 || fflush(qmp) != 0) {
        return false;
    }
    while (fgets(answer, sizeof answer, qmp) != NULL) { /* the greeting and events come between */
        if (strncmp(answer, "{\"return\"", 9) == 0 || strncmp(answer, "{\"error\"", 8) == 0) {
            return answer[2] == 'r';
        }
    }
    return false;
}

static bool save(FILE *qmp, uint32_t base, uint32_t bytes, const char *name)
{
    char command[512];
    snprintf(command, sizeof command,
             "{\"execute\": \"memsave\", \"arguments\": {\"val\": %u, \"size\": %u, \"filename\": \"%s.%s\"}}\n", base,
             bytes, memory, name);
    return commanded(qmp, command);
}

/* The processor's registers, as QEMU words them, and what lies at the stack pointer, if memory is there. */
static bool save_registers(FILE *qmp)
{
    char name[512];
    snprintf(name, sizeof name, "%s.registers", memory);
    if (!commanded(
            qmp, "{\"execute\": \"human-monitor-command\", \"arguments\": {\"command-line\": \"info registers\"}}\n")) {
        return false;
    }
    FILE *const file = fopen(name, "w");
    const bool written = file != NULL && fputs(answer, file) >= 0;
    if (file == NULL || fclose(file) != 0) {
        return false;
    }
    const char *sp = strstr(answer, "R13=");
    sp = (sp != NULL) ? sp + 4 : strstr(answer, "x2/sp");
    if (sp != NULL) {
        sp = (strncmp(sp, "x2/sp", 5) == 0) ? sp + 5 : sp;
        (void)save(qmp, (uint32_t)strtoul(sp, NULL, 16), 32, "frame");
    }
    return written;
}

/* QEMU's main thread answers while this one, the processor's, stands still. */
static void save_memory(void)
{
    if (monitor == NULL || memory == NULL) {
        return;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", monitor);
    const int line = socket(AF_UNIX, SOCK_STREAM, 0);
    if (line < 0 || connect(line, (const struct sockaddr *)&address, sizeof address) != 0) {
        give_up("cannot reach QEMU's monitor");
    }
    FILE *const qmp = fdopen(line, "r+");
    bool done = qmp != NULL && commanded(qmp, "{\"execute\": \"qmp_capabilities\"}\n");
    for (uint32_t k = 0; done && k < saved_count; k++) {
        char number[16];
        snprintf(number, sizeof number, "%u", k);
        done = save(qmp, saved[k].base, saved[k].bytes, number);
    }
    if (!done || !save_registers(qmp)) {
        give_up("QEMU's monitor does not save memory");
    }
}

static void end_run(uint32_t why)
{
    record(executed, RECORD_HALT, why);
    write_lines();
    if (fclose(out) != 0) {
        give_up("cannot write the records");
    }
    save_memory();
    fflush(stdout);
    if (!recording) {
        _Exit(0);
    }
    ended = true;
    (void)kill(getpid(), SIGTERM); /* QEMU stops the processor, some instructions later, and its recording */
}

/* Whether `last`, which branched, is the end of a handler. */
static bool leaves(const struct frame *frame, const struct insn *last)
{
    return top != 0 && frame->context == 0 &&
           (last->flow == HANDLER_RETURN ||
            (RETURN_LEAVES && last->flow == RETURN && frame->depth == 0 && frame->regions == 0));
}

/* Whether `last` branched: `now` follows it in time, and does not because it follows in memory.  An exception may
 * well return to what lies behind the handler's last instruction. */
static bool branched(const struct insn *last, const struct insn *now)
{
    return now->address != last->address + last->size ||
           ((last->flow == RETURN || last->flow == HANDLER_RETURN) && !last->conditional);
}

/* Handlers that run several of the application's functions: what each runs but the first. */
static struct {
    const struct insn *entry;
    uint32_t function;
} more_runs[1024];
static uint32_t more_runs_count;

static bool runs(const struct insn *entry, uint32_t function)
{
    bool found = entry != NULL && entry->runs == function;
    for (uint32_t k = 0; k < more_runs_count && !found; k++) {
        found = more_runs[k].entry == entry && more_runs[k].function == function;
    }
    return found;
}

/* Whether the frame's own last instruction leads to `now`.  Where a register says where, a handler leads to the
 * functions that it runs, once. */
static bool leads(const struct frame *frame, const struct insn *now)
{
    const struct insn *const last = frame->last;
    if (last == NULL || (last->flow != CALL && last->flow != JUMP)) {
        return false;
    }
    return last->target != 0 ? last->target == now->address : runs(frame->entry, now->address) && frame->watching == 0;
}

/* Watched functions called in a depth beyond `depth` have ended, at the instruction `index`. */
static size_t end_functions(struct frame *frame, uint32_t depth, uint64_t index, size_t place)
{
    while (frame->watching != 0 && frame->watched_depth[frame->watching - 1] > depth) {
        frame->watching--;
        insert(place++, index, RECORD_RETURN, frame->watched[frame->watching]);
    }
    return place;
}

static size_t leave(struct frame *frame, size_t place)
{
    while (frame->watching != 0) { /* the handler is the task */
        frame->watching--;
        insert(place++, frame->last_index, RECORD_RETURN, frame->watched[frame->watching]);
    }
    insert(place++, frame->last_index + RETURN_TAKES, RECORD_EXIT, frame->handler);
    top--;
    return place;
}

static void move(struct frame *begin, uint32_t count, uint64_t doubt, size_t records)
{
    for (uint32_t k = 0; k < count; k++) {
        if (begin[k].doubt > doubt) {
            begin[k].place += records;
        }
    }
}

/* So many records were inserted where a doubt began. */
static void move_later(uint64_t doubt, size_t records)
{
    move(frames, top + 1, doubt, records);
    for (uint32_t k = 0; k < context_count; k++) {
        move(contexts[k].frames, contexts[k].count, doubt, records);
    }
}

/* Apply what the last instruction of the innermost frame did, now that `now` follows it; where it left a handler, also
 * what the last instruction of the frame below did. */
static void settle(const struct insn *now)
{
    for (;;) {
        struct frame *const frame = &frames[top];
        const struct insn *const last = frame->last;
        if (last == NULL) {
            return;
        }
        const bool entered = now->vector && !leads(frame, now);
        if (entered && last->flow == RETURN && last->conditional) {
            if (frame->doubt == 0) {
                frame->doubt = ++last_doubt;
                frame->place = line_count;
                doubts++;
            }
            return;
        }
        const uint64_t doubt = frame->doubt;
        const size_t place = doubt != 0 ? frame->place : line_count;
        size_t behind = place;
        if (doubt != 0) {
            frame->doubt = 0;
            doubts--;
        }
        if (!branched(last, now)) {
            return;
        }
        const bool left = leaves(frame, last);
        if (left) {
            behind = leave(frame, place);
        } else if (last->flow == RETURN) {
            if (frame->depth != 0) {
                frame->depth--;
                behind = end_functions(frame, frame->depth, frame->last_index, place);
            } /* else to a context's first function, which nobody has called */
            frame->last = NULL;
        } else if (last->flow == CALL && !entered) {
            frame->depth++;
        }
        if (doubt != 0) {
            move_later(doubt, behind - place);
        }
        if (!left) {
            return;
        }
    }
}

/* A frame above all others. */
static struct frame *push(void)
{
    top++;
    if (top == sizeof frames / sizeof frames[0]) {
        give_up("interrupts nest deeper than %u", top);
    }
    struct frame *const frame = &frames[top];
    frame->context = frame->handler = 0;
    frame->entry = NULL;
    frame->depth = 0;
    frame->last = NULL;
    frame->watching = 0;
    frame->regions = 0;
    frame->doubt = 0;
    return frame;
}

/* A call ends that may end anywhere within.  If it is not of the innermost frame, a handler has ended what it has
 * preempted, and itself with that. */
static void end_region(void)
{
    uint32_t owner = top;
    while (owner != 0 && frames[owner].regions == 0) {
        owner--;
    }
    if (frames[owner].regions == 0) {
        return; /* it has begun before the trace */
    }
    while (top > owner) {
        doubts -= frames[top].doubt != 0;
        frames[top].last_index = executed - 1; /* it has been there until now */
        (void)leave(&frames[top], line_count);
    }
    struct frame *const frame = &frames[top];
    frame->depth = frame->region[--frame->regions];
    (void)end_functions(frame, frame->depth, executed, line_count);
}

static uint64_t pace, looks_again = UINT64_MAX; /* instructions in a second; when the host's clock is read next */
static void keep_pace(void)
{
    static uint64_t origin; /* when the first instruction should have been, in nanoseconds */
    struct timespec read;
    (void)clock_gettime(CLOCK_MONOTONIC, &read);
    const uint64_t now = (uint64_t)read.tv_sec * 1000000000u + (uint64_t)read.tv_nsec;
    const uint64_t due = origin + executed / pace * 1000000000u + executed % pace * 1000000000u / pace;
    if (due > now) {
        const struct timespec rest = {(time_t)((due - now) / 1000000000u), (long)((due - now) % 1000000000u)};
        (void)nanosleep(&rest, NULL);
    } else {
        origin += now - due; /* who is late does not hurry afterwards */
    }
    looks_again = executed + pace / 100u + 1u;
}

static void on_instruction(unsigned cpu, void *data)
{
    (void)cpu;
    const struct insn *const now = data;
    if (ended) {
        return;
    }
    if (executed >= looks_again) {
        keep_pace();
    }
    if (doubts == 0 && line_count >= 1024) {
        write_lines();
    }
    settle(now);
    struct frame *frame = &frames[top];
    if (now->vector && !leads(frame, now)) {
        frame = push();
        frame->handler = now->handler;
        frame->entry = now;
        record(executed, RECORD_ENTER, now->handler);
    }
    if (now->mark) {
        record(executed, RECORD_MARK, now->address);
    }
    /* A loop may come back to a function's first instruction: that is no other call. */
    const bool again = frame->watching != 0 && frame->watched[frame->watching - 1] == now->address &&
                       frame->watched_depth[frame->watching - 1] == frame->depth;
    if (now->watched && !again) {
        if (frame->watching == sizeof frame->watched / sizeof frame->watched[0]) {
            give_up("calls of tasks nest deeper than %u", frame->watching);
        }
        frame->watched[frame->watching] = now->address;
        frame->watched_depth[frame->watching] = frame->depth;
        frame->watching++;
        record(executed, RECORD_CALL, now->address);
    }
    if (now->region == BEGIN) {
        if (frame->regions == sizeof frame->region / sizeof frame->region[0]) {
            give_up("tasks nest deeper than %u", frame->regions);
        }
        frame->region[frame->regions++] = frame->depth;
    } else if (now->region == END) {
        end_region();
        frame = &frames[top];
    }
    frame->last = now;
    frame->last_index = executed;
    if (now->halt) {
        end_run(now->address);
    }
    if (executed >= (begun ? limit : never)) {
        end_run(0);
    }
    executed++;
}

static void on_begin(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)info;
    (void)data;
    /* The load of the first store of a list: not its second word, nor those of the next turns of the loop. */
    static uint64_t last;
    const bool again = last != 0 && executed - last <= START_TURN;
    last = executed;
    if (again) {
        return;
    }
    /* When the store after the load has started the cells; the load itself is counted. */
    record(executed + START_STORED - 1, RECORD_BEGIN, (uint32_t)address);
    if (!begun) {
        begun = true;
        limit = limit == UINT64_MAX ? limit : limit + executed;
    }
}

static struct context *context_at(uint32_t address)
{
    for (uint32_t k = 0; k < context_count; k++) {
        if (contexts[k].address == address) {
            return &contexts[k];
        }
    }
    if (context_count == sizeof contexts / sizeof contexts[0]) {
        give_up("more than %u tasks have stacks", context_count);
    }
    contexts[context_count].address = address;
    return &contexts[context_count++];
}

static void resume(struct context *context)
{
    if (context->count == 0) {
        push()->context = context->address;
    }
    for (uint32_t k = 0; k < context->count; k++) {
        *push() = context->frames[k];
    }
    context->count = 0;
}

/* The context's frame and all above it are those of what goes on no more; they are kept if it is to go on. */
static void take_off(struct context *context, bool keep)
{
    uint32_t first = top;
    while (first != 0 && frames[first].context != context->address) {
        first--;
    }
    if (first == 0) {
        return; /* it has begun before the trace */
    }
    context->count = keep ? top - first + 1 : 0;
    if (context->count > context->space) {
        context->space = context->count;
        context->frames = realloc(context->frames, context->space * sizeof *context->frames);
        if (context->frames == NULL) {
            give_up("no memory for the contexts");
        }
    }
    for (uint32_t k = 0; k < context->count; k++) {
        context->frames[k] = frames[first + k];
    }
    top = first - 1;
}

/* A context was named: its second word was loaded or stored. */
static void on_context(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)info;
    const struct insn *const insn = data;
    struct context *const context = context_at((uint32_t)address - 4u);
    record(executed, (enum record)insn->context, context->address);
    if (insn->context == RECORD_RESUME) {
        resume(context);
    } else {
        take_off(context, insn->context == RECORD_SUSPEND);
    }
}

/* Data that is watched. */
static struct data steps, statuses;

static bool is_in(uint64_t address, struct data data)
{
    return address >= data.base && address - data.base < data.bytes;
}

/* What deals with schedule tables reads what a step does, or writes a status. */
static void on_table(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    const struct insn *const insn = data;
    if (qemu_plugin_mem_is_store(info)) {
        if (is_in(address, statuses)) {
            record(executed, (enum record)insn->status, (uint32_t)address);
        }
    } else if (insn->status == RECORD_TABLE_GOES && is_in(address, steps)) {
        record(executed, RECORD_STEP, (uint32_t)address);
    }
}

static struct insn *insn_at(uint64_t address)
{
    return address >= code_base && address - code_base < code_bytes ? &table[(address - code_base) / 2] : NULL;
}

/* Before the image a machine may run code of its own. */
static void on_outside(unsigned cpu, void *data)
{
    (void)cpu;
    if (begun && !ended) {
        give_up("code at 0x%llx, outside the code region", (unsigned long long)(uintptr_t)data);
    }
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(tb);
    for (size_t k = 0; k < count; k++) {
        struct qemu_plugin_insn *const it = qemu_plugin_tb_get_insn(tb, k);
        const uint64_t address = qemu_plugin_insn_vaddr(it);
        uint8_t buffer[4]; /* the longest instruction */
        const uint8_t *bytes = buffer;
        if (copies) {
            (void)qemu_plugin_insn_data(it, buffer, sizeof buffer);
        } else {
            bytes = insn_data_before_3(it);
        }
        struct insn *const insn = insn_at(address);
        if (insn == NULL) {
            qemu_plugin_register_vcpu_insn_exec_cb(it, on_outside, 0, (void *)(uintptr_t)address);
            continue;
        }
        if (!insn->known) {
            insn->known = true;
            insn->address = (uint32_t)address;
            insn->size = (uint8_t)qemu_plugin_insn_size(it);
            if (insn->flow == PLAIN) {
                insn->flow = (uint8_t)classify(bytes, insn->size);
                insn->target = insn->flow == CALL || insn->flow == JUMP ? target(insn->address, bytes, insn->size) : 0;
            }
        }
        insn->conditional |= is_conditional(insn->address, bytes, insn->size);
        qemu_plugin_register_vcpu_insn_exec_cb(it, on_instruction, 0, insn);
        if (insn->begin) {
            /* Reads and writes: QEMU 7.2 reports no load to a callback for reads alone. */
            qemu_plugin_register_vcpu_mem_cb(it, on_begin, 0, 3, NULL);
        }
        if (insn->context != 0) {
            qemu_plugin_register_vcpu_mem_cb(it, on_context, 0, 3, insn);
        }
        if (insn->status != 0) {
            qemu_plugin_register_vcpu_mem_cb(it, on_table, 0, 3, insn);
        }
    }
}

/* QEMU ends, and not because the run has: the firmware has stopped the machine, say. */
static void at_exit(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    if (!ended) {
        give_up("the emulator ended before the run did");
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    end_with_parent();
    copies = info->version.cur >= COPIES_INSN_DATA;
    FILE *map = NULL;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "map=", 4) == 0) {
            map = fopen(argv[i] + 4, "r");
        } else if (strncmp(argv[i], "out=", 4) == 0) {
            out = fopen(argv[i] + 4, "wb");
        } else if (strncmp(argv[i], "limit=", 6) == 0) {
            limit = strtoull(argv[i] + 6, NULL, 10);
        } else if (strncmp(argv[i], "warm_up=", 8) == 0) {
            never = NEVER_BEGUN + strtoull(argv[i] + 8, NULL, 10);
        } else if (strncmp(argv[i], "base=", 5) == 0) {
            code_base = (uint32_t)strtoul(argv[i] + 5, NULL, 10);
        } else if (strncmp(argv[i], "code=", 5) == 0) {
            code_bytes = (uint32_t)strtoul(argv[i] + 5, NULL, 10);
        } else if (strncmp(argv[i], "pace=", 5) == 0) {
            pace = strtoull(argv[i] + 5, NULL, 10);
            looks_again = pace == 0 ? UINT64_MAX : 0;
        } else if (strncmp(argv[i], "monitor=", 8) == 0) {
            monitor = strdup(argv[i] + 8);
        } else if (strncmp(argv[i], "memory=", 7) == 0) {
            memory = strdup(argv[i] + 7);
        } else if (strncmp(argv[i], "recording=", 10) == 0) {
            recording = true;
        }
    }
    table = calloc(code_bytes / 2, sizeof *table);
    if (map == NULL || out == NULL || table == NULL) {
        fprintf(stderr, "carillon: the tracing plugin needs map=FILE and out=FILE\n");
        return 1;
    }
    unsigned address, value;
    char kind;
    while (fscanf(map, "%x %c %x", &address, &kind, &value) == 3) {
        if (kind == 'D') {
            statuses = (struct data){address, value};
            continue;
        }
        if (kind == 'E') {
            steps = (struct data){address, value};
            continue;
        }
        if (kind == 'Z' && saved_count < sizeof saved / sizeof saved[0]) {
            saved[saved_count++] = (struct data){address, value};
        }
        if (kind == 'Z') {
            continue;
        }
        struct insn *const insn = insn_at(address);
        if (insn == NULL) {
            continue; /* what executes it gives up */
        }
        if (kind == 'V') {
            insn->vector = true;
            insn->handler = value;
        }
        if (kind == 'T' && insn->runs == 0) {
            insn->runs = value;
        } else if (kind == 'T' && insn->runs != value) {
            if (more_runs_count == sizeof more_runs / sizeof more_runs[0]) {
                give_up("handlers run more than %u functions besides their first", more_runs_count);
            }
            more_runs[more_runs_count].entry = insn;
            more_runs[more_runs_count].function = value;
            more_runs_count++;
        }
        static const char dealers[] = "stng";
        const char *const deals = strchr(dealers, kind);
        for (uint32_t at = address; deals != NULL && at < address + value && insn_at(at) != NULL; at += 2) {
            insn_at(at)->status = (uint8_t)(RECORD_TABLE_STARTS + (deals - dealers));
        }
        insn->watched |= kind == 'F';
        insn->begin |= kind == 'B';
        insn->halt |= kind == 'H';
        insn->mark |= kind == 'M';
        if (kind == 'L') {
            insn->flow = CALL;
        }
        if (kind == 'C') {
            insn->region = BEGIN;
        } else if (kind == 'U') {
            insn->region = END;
        }
        if (kind == 'R') {
            insn->context = RECORD_RESUME;
        } else if (kind == 'S') {
            insn->context = RECORD_SUSPEND;
        } else if (kind == 'X') {
            insn->context = RECORD_LEAVE;
        }
    }
    fclose(map);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}
