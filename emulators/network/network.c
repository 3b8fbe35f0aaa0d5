/* SPDX-License-Identifier: Apache-2.0
 *
 * A network of virtual boards in one virtual time.
 *
 * Each node is an image of its own, a shared object, on a stack of its own, and one of them runs at a time.  A node
 * waits where it lets time pass, and says when it would do something next: at its next tick that matters, or when a
 * message arrives.  It goes on as soon as nobody can send it anything that arrives before:
 *
 * 1. Let `due` be the time of a node's next deed.  A node that waits sends nothing before its `due`, since its code
 *    takes no time and runs at its ticks and at arrivals only.
 * 2. What it sends then arrives `least` later or more, with the least latency of the network, which is more than 0.
 * 3. What others send because of that arrives later still.
 * 4. So a node whose `due` is before the smallest `due` of the others plus `least` will hear of nothing before its
 *    `due`.
 * 5. The node with the smallest `due` of all fulfils this.  So somebody can always go on.
 * 6. While a node runs, only its own messages change the `due` of others, and send() looks at that.
 *
 * The order in which the nodes run changes nothing: messages are ordered by their arrival, sender and number, and
 * chance is drawn from these numbers, not from a sequence. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "emulators/host/network.h"
#include "emulators/parent.h"
#include "oscillator.h"

#define NODES 64u
#define STEPS 1024u
#define STACK (UINT64_C(1) << 20)
#define CHANCE (UINT64_C(1) << 32) /* of a certain thing */

/* How a node's messages travel: picoseconds, and chances in parts of CHANCE. */
struct link {
    uint64_t latency, jitter, late_by;
    uint64_t loss, twice, late;
};

struct letter {
    uint64_t at; /* arrives then */
    uint64_t number;
    struct network_message message;
};

struct node {
    char name[256];
    struct oscillator clock;
    struct step steps[STEPS];
    struct link link;
    uint64_t start;
    uint64_t now, due;    /* picoseconds */
    struct letter *inbox; /* a heap: the first arrives next */
    uint32_t waiting, room;
    struct network_message message;
    uint64_t sent, lost, doubled, delivered; /* messages of this one; copies for one receiver each; received */
    ucontext_t context;
    FILE *output, *clocks, *reports;
    void (*run)(const struct network *, void *, uint32_t, const char *, uint64_t); /* carillon_node_run */
    int ended;
};

static struct node *nodes;
static uint32_t count;
static struct node *running;
static uint64_t horizon; /* before this nobody sends the running node anything */
static uint64_t least = NEVER;
static uint64_t end, recorded, seed;
static uint64_t passes, switches;
static char folder[4096];
static FILE *log_file;
static ucontext_t beginning;

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > NEVER - b ? NEVER : a + b;
}

static void fail(const char *what, const char *of) __attribute__((noreturn));

static void fail(const char *what, const char *of)
{
    fflush(stdout);
    fprintf(stderr, "carillon: %s: %s\n", of, what);
    exit(2);
}

static void out(FILE *file, const void *data, size_t length)
{
    if (fwrite(data, length, 1, file) != 1) {
        fail("cannot be written", folder);
    }
}

/* What is read by tool/carillon/run/network.py. */
static void note_stretch(const struct node *node)
{
    const struct stretch *const it = &node->clock.now;
    const uint64_t line[] = {it->begin, it->ticks, (uint64_t)it->more, (uint64_t)(it->more >> 64), it->rate};
    out(node->clocks, line, sizeof line);
}

static uint64_t ticks_at(struct node *node, uint64_t time)
{
    while (time >= node->clock.now.end) {
        stretch_next(&node->clock, &node->clock.now);
        note_stretch(node);
    }
    return oscillator_ticks(&node->clock, time);
}

/* The one that does something next, besides `but`. */
static struct node *next_of(const struct node *but)
{
    struct node *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (&nodes[i] != but && !nodes[i].ended && (found == NULL || nodes[i].due < found->due)) {
            found = &nodes[i];
        }
    }
    return found;
}

static void resume(struct node *node)
{
    running = node;
    horizon = 0u;
    stdout = node->output;
    switches++;
}

static int earlier(const struct letter *a, const struct letter *b)
{
    return a->at < b->at || (a->at == b->at && (a->message.sender < b->message.sender ||
                                                (a->message.sender == b->message.sender && a->number < b->number)));
}

static void post(struct node *to, const struct letter *letter)
{
    if (to->waiting == to->room) {
        to->room = to->room == 0u ? 16u : 2u * to->room;
        to->inbox = realloc(to->inbox, to->room * sizeof *to->inbox);
        if (to->inbox == NULL) {
            fail("no memory for its messages", to->name);
        }
    }
    uint32_t place = to->waiting++;
    while (place != 0u && earlier(letter, &to->inbox[(place - 1u) / 2u])) {
        to->inbox[place] = to->inbox[(place - 1u) / 2u];
        place = (place - 1u) / 2u;
    }
    to->inbox[place] = *letter;
}

static void take(struct node *node)
{
    node->message = node->inbox[0].message;
    node->waiting--;
    const struct letter *const last = &node->inbox[node->waiting];
    uint32_t place = 0u;
    for (;;) {
        uint32_t child = 2u * place + 1u;
        if (child + 1u < node->waiting && earlier(&node->inbox[child + 1u], &node->inbox[child])) {
            child++;
        }
        if (child >= node->waiting || !earlier(&node->inbox[child], last)) {
            break;
        }
        node->inbox[place] = node->inbox[child];
        place = child;
    }
    node->inbox[place] = *last;
}

static enum network_event pass(void *self, uint64_t *tick, const struct network_message **message)
{
    struct node *const node = self;
    uint64_t wish = *tick == NEVER ? NEVER : oscillator_time(&node->clock, *tick, end);
    wish = wish < node->now ? node->now : wish; /* its present tick, in which a message has come meanwhile */
    passes++;
    for (;;) {
        const uint64_t arrival = node->waiting != 0u ? node->inbox[0].at : NEVER;
        node->due = arrival < wish ? arrival : wish;
        node->due = node->due < end ? node->due : end;
        if (node->due < horizon) {
            break;
        }
        struct node *const first = next_of(node);
        horizon = first == NULL ? NEVER : sum(first->due, least);
        if (node->due < horizon) {
            break;
        }
        resume(first);
        (void)swapcontext(&node->context, &first->context);
    }
    node->now = node->due;
    if (node->now == end) {
        *tick = ticks_at(node, end);
        return NETWORK_END;
    }
    if (node->waiting != 0u && node->now == node->inbox[0].at && node->now < wish) {
        *tick = ticks_at(node, node->now);
        take(node);
        node->delivered++;
        *message = &node->message;
        return NETWORK_MESSAGE;
    }
    (void)ticks_at(node, node->now);
    return NETWORK_TICK;
}

static uint64_t chance(const struct node *from, enum purpose purpose, uint64_t number, uint32_t to)
{
    return draw(seed, purpose, from->clock.number, number, to);
}

static void note_letter(const struct node *from, uint32_t to, uint64_t number, uint64_t arrival)
{
    if (from->now < recorded) {
        const uint64_t line[] = {from->now, arrival, (uint64_t)from->clock.number << 32 | to, number};
        out(log_file, line, sizeof line);
    }
}

static void deliver(struct node *from, uint32_t to, struct letter *letter)
{
    const struct link *const link = &from->link;
    letter->at = sum(from->now, sum(link->latency, drawn(chance(from, DRAW_JITTER, letter->number, to), link->jitter)));
    if (chance(from, DRAW_LATE, letter->number, to) >> 32 < link->late) {
        letter->at = sum(letter->at, drawn(chance(from, DRAW_DELAY, letter->number, to), link->late_by));
    }
    const int hears = !nodes[to].ended && letter->at >= nodes[to].start;
    note_letter(from, to, letter->number, hears ? letter->at : NEVER);
    if (!hears) {
        return;
    }
    post(&nodes[to], letter);
    if (letter->at < nodes[to].due) {
        nodes[to].due = letter->at;
    }
    horizon = sum(letter->at, least) < horizon ? sum(letter->at, least) : horizon;
}

static void send(void *self, const void *data, uint32_t length)
{
    struct node *const node = self;
    struct letter letter = {.message = {.sender = (uint16_t)node->clock.number, .length = (uint16_t)length}};
    memcpy(letter.message.data, data, length);
    for (uint32_t to = 0; to < count; to++) {
        /* Two numbers for each message: the second is that of its double. */
        letter.number = 2u * node->sent;
        if (&nodes[to] == node) {
            continue;
        }
        if (chance(node, DRAW_LOSS, letter.number, to) >> 32 < node->link.loss) {
            node->lost++;
            note_letter(node, to, letter.number, NEVER);
            continue;
        }
        deliver(node, to, &letter);
        if (chance(node, DRAW_TWICE, letter.number, to) >> 32 < node->link.twice) {
            letter.number++;
            node->doubled++;
            deliver(node, to, &letter);
        }
    }
    node->sent++;
}

static void report(void *self, uint64_t time)
{
    const struct node *const node = self;
    const uint64_t line[] = {node->now, time};
    out(node->reports, line, sizeof line);
}

static void finish(void *self, int status)
{
    struct node *const node = self;
    if (status != 0) {
        fflush(stdout);
        fprintf(stderr, "carillon: that was node '%s'\n", node->name);
        exit(status);
    }
    node->ended = 1;
    if (node->now < end) {
        (void)ticks_at(node, end); /* its oscillator goes on */
    }
    struct node *const first = next_of(NULL);
    if (first == NULL) {
        (void)setcontext(&beginning);
    } else {
        resume(first);
        (void)setcontext(&first->context);
    }
    abort();
}

static const struct network *network(void)
{
    static struct network it = {.pass = pass, .send = send, .report = report, .finish = finish};
    it.nodes = count;
    return &it;
}

static FILE *file(const struct node *node, const char *suffix)
{
    char path[sizeof folder + 64];
    (void)snprintf(path, sizeof path, "%s/%" PRIu64 ".%s", folder, node->clock.number, suffix);
    FILE *const opened = fopen(path, "wb");
    if (opened == NULL) {
        perror(path);
        exit(2);
    }
    return opened;
}

static void begin_node(void)
{
    char path[sizeof folder + 64];
    struct node *const node = running;
    (void)snprintf(path, sizeof path, "%s/%" PRIu64 ".records", folder, node->clock.number);
    const uint64_t until = recorded > node->start ? recorded : node->start;
    struct oscillator ahead = node->clock; /* until which of its ticks records are kept */
    while (until >= ahead.now.end) {
        stretch_next(&ahead, &ahead.now);
    }
    node->run(network(), node, (uint32_t)node->clock.number, path, oscillator_ticks(&ahead, until));
    abort();
}

static void load(struct node *node, const char *object)
{
    void *const handle = dlopen(object, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        fail(dlerror(), node->name);
    }
    *(void **)&node->run = dlsym(handle, "carillon_node_run");
    if (node->run == NULL) {
        fail("it is no node", node->name);
    }
    node->output = file(node, "output");
    node->clocks = file(node, "clocks");
    node->reports = file(node, "reports");
    oscillator_start(&node->clock, node->start);
    note_stretch(node);
    node->now = node->due = node->start;
    (void)getcontext(&node->context);
    node->context.uc_stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    node->context.uc_stack.ss_size = STACK;
    if (node->context.uc_stack.ss_sp == MAP_FAILED) {
        fail("no memory for its stack", node->name);
    }
    makecontext(&node->context, begin_node, 0);
}

/* The plan that the tool writes: a line for each thing; those after `node` are about that node, `load` is the last. */
static void read_plan(const char *path)
{
    char line[sizeof folder + 64];
    FILE *const plan = fopen(path, "r");
    if (plan == NULL) {
        perror(path);
        exit(2);
    }
    nodes = calloc(NODES, sizeof *nodes);
    if (nodes == NULL) {
        fail("no memory", path);
    }
    struct node *node = nodes;
    while (fgets(line, sizeof line, plan) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        struct link *const link = &node->link;
        struct oscillator *const clock = &node->clock;
        if (strncmp(line, "folder ", 7) == 0) {
            (void)snprintf(folder, sizeof folder, "%s", line + 7);
        } else if (sscanf(line, "run %" SCNu64 " %" SCNu64 " %" SCNu64, &end, &recorded, &seed) == 3) {
        } else if (sscanf(line, "node %255s %" SCNu64 " %" SCNu64, node->name, &node->start, &clock->hz) == 3) {
            clock->number = count;
            clock->seed = seed;
            clock->steps = node->steps;
        } else if (clock->count < STEPS && sscanf(line, "error %" SCNu64 " %" SCNd64, &node->steps[clock->count].at,
                                                  &node->steps[clock->count].error) == 2) {
            clock->count++;
        } else if (sscanf(line, "wander %" SCNd64 " %" SCNd64 " %" SCNu64, &clock->most, &clock->bound,
                          &clock->every) == 3) {
        } else if (sscanf(line, "link %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                          &link->latency, &link->jitter, &link->loss, &link->twice, &link->late, &link->late_by) == 6) {
            least = link->latency < least ? link->latency : least;
        } else if (strncmp(line, "load ", 5) == 0) {
            load(node, line + 5);
            count++;
            if (count == NODES) {
                break;
            }
            node = &nodes[count];
        } else {
            fail("not understood", line);
        }
    }
    (void)fclose(plan);
}

/* An application may do anything: say whose it was. */
static void crash(int number)
{
    static const char before[] = "carillon: node '", after[] = "' crashed\n";
    if (running != NULL && write(2, before, sizeof before - 1u) > 0 &&
        write(2, running->name, strlen(running->name)) > 0) {
        (void)!write(2, after, sizeof after - 1u);
    }
    (void)raise(number); /* the handler is gone: the process ends by the signal */
}

static void watch(void)
{
    static uint8_t own[65536]; /* the node's stack may be what is wrong */
    const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    (void)sigaltstack(&stack, NULL);
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct sigaction action = {.sa_handler = crash, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
        (void)sigaction(numbers[i], &action, NULL);
    }
}

int main(int argc, char **argv)
{
    FILE *const own = stdout;
    if (argc != 2) {
        fprintf(stderr, "usage: %s PLAN\n", argv[0]);
        return 2;
    }
    end_with_parent();
    watch();
    read_plan(argv[1]);
    char path[sizeof folder + 64];
    (void)snprintf(path, sizeof path, "%s/messages", folder);
    log_file = fopen(path, "wb");
    if (log_file == NULL) {
        perror(path);
        return 2;
    }
    volatile int begun = 0; /* getcontext returns here once more, when the last node has ended */
    (void)getcontext(&beginning);
    if (begun == 0) {
        begun = 1;
        struct node *const first = next_of(NULL);
        if (first != NULL) {
            resume(first);
            (void)setcontext(&first->context);
        }
    }
    stdout = own;
    int failed = fclose(log_file);
    for (uint32_t i = 0; i < count; i++) {
        const struct node *const node = &nodes[i];
        failed |= fclose(node->output) | fclose(node->clocks) | fclose(node->reports);
        printf("node %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", node->sent, node->lost,
               node->doubled, node->delivered, (uint64_t)node->now);
    }
    printf("network %" PRIu64 " %" PRIu64 "\n", passes, switches);
    return failed != 0 ? 2 : 0;
}
