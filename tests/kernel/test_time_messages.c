/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages (kernel/time/messages.c). */
#include "services/services.h"

#include <string.h>

static int reset(void **state)
{
    (void)services_reset(state);
    services.meanwhile = services_sleep;
    services_run(FIRST);
    return 0;
}

/* Messages that are words, and others: a queue of each with two places. */
struct pair {
    uint16_t a, b, c;
};
CARILLON_MESSAGES(words, uint32_t, 2);
CARILLON_MESSAGES(pairs, struct pair, 2);
static const uint32_t sent_words[] = {11u, 22u, 33u};
static const struct pair sent_pairs[] = {{1u, 2u, 3u}, {4u, 5u, 6u}, {7u, 8u, 9u}};
static uint32_t word;

static StatusType send_and_receive(void)
{
    const StatusType status = carillon_send(&words, &sent_words[0]);
    return (status == E_OK) ? carillon_receive(&words, &word) : status;
}
static StatusType receive_and_send(void)
{
    (void)carillon_send_within(&words, &sent_words[0], 0u);
    services.failures = 0u;
    const StatusType status = carillon_receive(&words, &word);
    return status;
}
static StatusType send_within(void)
{
    words.sent.count = 0u;
    return carillon_send_within(&words, &sent_words[0], 5u);
}
static StatusType send_now(void)
{
    words.sent.count = 0u;
    return carillon_send_within(&words, &sent_words[0], 0u);
}
static StatusType receive_within(void)
{
    words.sent.count = 1u;
    return carillon_receive_within(&words, &word, 5u);
}
static StatusType receive_now(void)
{
    words.sent.count = 1u;
    return carillon_receive_within(&words, &word, 0u);
}

static void empty(void)
{
    words.sent.count = 0u;
    words.oldest = words.places;
    words.free = words.places;
}

static void t_message_places(void **state)
{
    (void)state;
    empty();
    check_waits(send_and_receive, OSServiceId_Send);
    services.place = IN_TASK_HOOK;
    assert_failed(carillon_receive(&words, &word), E_OS_CALLEVEL, OSServiceId_Receive);
    services.place = IN_TASK;
    services.disables = true;
    assert_failed(carillon_receive(&words, &word), E_OS_DISABLEDINT, OSServiceId_Receive);
    services.disables = false;
    services.holds = true;
    assert_failed(carillon_receive(&words, &word), E_OS_RESOURCE, OSServiceId_Receive);
    services.holds = false;
    services_run(BASIC);
    assert_failed(receive_and_send(), E_OS_CALLEVEL, OSServiceId_Receive);
    services_run(FIRST);
    assert_succeeded(receive_and_send());
    check_waits_within(send_within, OSServiceId_Send);
    check_waits_within(receive_within, OSServiceId_Receive);
    check_waits_not(send_now, OSServiceId_Send);
    check_waits_not(receive_now, OSServiceId_Receive);
    const carillon_duration too_long = CARILLON_LONGEST_DURATION + 1u;
    assert_failed(carillon_send_within(&words, &word, too_long), E_OS_VALUE, OSServiceId_Send);
    assert_failed(carillon_receive_within(&words, &word, too_long), E_OS_VALUE, OSServiceId_Receive);
    empty();
    assert_succeeded(carillon_send_within(&words, &word, too_long - 1u));
    assert_succeeded(carillon_receive_within(&words, &word, too_long - 1u));
    empty();
}

/* In the order in which they were sent, and the third waits for room. */
static struct pair got;
static void receive_pair(void)
{
    assert_succeeded(carillon_receive_within(&pairs, &got, 0u));
    assert_memory_equal(&got, &sent_pairs[0], sizeof got);
}
static void receive_word(void)
{
    assert_succeeded(carillon_receive_within(&words, &word, 0u));
    assert_int_equal(word, 11u);
}
static void t_messages(void **state)
{
    (void)state;
    empty();
    services.meanwhile = receive_word;
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_succeeded(carillon_send(&words, &sent_words[i]));
    }
    services.meanwhile = receive_pair;
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_succeeded(carillon_send(&pairs, &sent_pairs[i]));
    }
    assert_int_equal(services.waits, 2u);
    services.meanwhile = NULL;
    for (uint32_t i = 1u; i < 3u; i++) {
        assert_succeeded(carillon_receive(&words, &word));
        assert_int_equal(word, sent_words[i]);
        assert_succeeded(carillon_receive(&pairs, &got));
        assert_memory_equal(&got, &sent_pairs[i], sizeof got);
    }
    assert_int_equal(services.waits, 2u);
    assert_int_equal(words.sent.count, 0u);
    assert_int_equal(pairs.sent.count, 0u);
}

static void send_word(void)
{
    assert_succeeded(carillon_send_within(&words, &sent_words[2], 0u));
}
static void send_at_once(void)
{
    assert_succeeded(carillon_send(&words, &sent_words[0]));
}
static void send_pair(void)
{
    assert_succeeded(carillon_send_within(&pairs, &sent_pairs[2], 0u));
}
static void t_message_times(void **state)
{
    (void)state;
    empty();
    assert_failed(carillon_receive_within(&words, &word, 5u), E_OS_NOFUNC, OSServiceId_Receive);
    assert_int_equal(services_now, 5u);
    assert_failed(carillon_receive_within(&words, &word, 0u), E_OS_NOFUNC, OSServiceId_Receive);
    services.meanwhile = send_word;
    word = 0u;
    assert_succeeded(carillon_receive_within(&words, &word, 5u));
    assert_int_equal(word, 33u);
    services.meanwhile = send_at_once;
    assert_succeeded(carillon_receive(&words, &word));
    assert_int_equal(word, 11u);
    assert_int_equal(words.sent.count, 0u);
    services.meanwhile = send_pair;
    got = (struct pair){0};
    assert_succeeded(carillon_receive(&pairs, &got));
    assert_memory_equal(&got, &sent_pairs[2], sizeof got);
    send_word();
    send_word();
    services.meanwhile = services_sleep;
    assert_failed(carillon_send_within(&words, &sent_words[0], 4u), E_OS_NOFUNC, OSServiceId_Send);
    assert_int_equal(services_now, 9u);
    assert_failed(carillon_send_within(&words, &sent_words[0], 0u), E_OS_NOFUNC, OSServiceId_Send);
    services.meanwhile = NULL;
    empty();
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_message_places), TEST(t_messages), TEST(t_message_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
