/* The transport within one process: order, faults on request, and packets that come again. */
#include "federation/transport/loopback.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    hr_loopback *loopback;
    hr_transport *a, *b;
    const hr_loopback_fate *fates; /* of the packets to come; the last one is for all after it */
    char from[8], to[8];           /* of the last packet that the script was asked about */
    size_t size;
} fixture;

static hr_transport *open_end(fixture *f, const char *name) {
    hr_transport *end = NULL;
    assert_int_equal(hr_loopback_open(f->loopback, name, &end, NULL), HR_OK);
    return end;
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f || hr_loopback_new(&f->loopback, NULL)) return -1;
    f->a = open_end(f, "a");
    f->b = open_end(f, "b");
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    f->a->close(f->a);
    f->b->close(f->b);
    hr_loopback_free(f->loopback);
    free(f);
    return 0;
}

static hr_loopback_fate next_fate(void *user, const char *from, const char *to, size_t size) {
    fixture *f = user;
    hr_loopback_fate fate = f->fates[0];
    if (fate != HR_FATE_ARRIVES) f->fates++;
    snprintf(f->from, sizeof f->from, "%s", from);
    snprintf(f->to, sizeof f->to, "%s", to);
    f->size = size;
    return fate;
}

static void send_text(hr_transport *from, const char *to, const char *text) {
    assert_int_equal(from->send(from, to, text, strlen(text), NULL), HR_OK);
}

/* To b, one letter a packet. */
static void send_letters(hr_transport *from, const char *letters) {
    for (; *letters; letters++) {
        const char text[2] = {*letters, '\0'};
        send_text(from, "b", text);
    }
}

static hr_packet receive(hr_transport *end) {
    hr_packet packet = {(uint8_t *)"", 1, NULL};
    assert_int_equal(end->receive(end, 0, &packet, NULL), HR_OK);
    return packet;
}

static void check_packet(const hr_packet *packet, const char *text) {
    assert_non_null(packet->bytes);
    assert_int_equal(packet->size, strlen(text));
    assert_memory_equal(packet->bytes, text, packet->size);
}

static void check_none(hr_transport *end) {
    hr_packet none = receive(end);
    assert_true(!none.bytes && !none.size && !none.token);
    end->settle(end, &none);
}

/* What comes, one letter a packet, all settled. */
static void check_all(hr_transport *end, const char *letters) {
    for (; *letters; letters++) {
        const char text[2] = {*letters, '\0'};
        hr_packet packet = receive(end);
        check_packet(&packet, text);
        end->settle(end, &packet);
        assert_true(!packet.bytes && !packet.size && !packet.token);
    }
    check_none(end);
}

static void test_loopback__carries_in_order_to_whom_it_is_meant_for(void **state) {
    fixture *f = *state;
    send_text(f->a, "b", "1");
    send_text(f->b, "a", "2");
    send_text(f->a, "b", "3");
    send_text(f->a, "a", "4");
    send_text(f->a, "b", "");
    check_all(f->a, "24");
    hr_packet one = receive(f->b), three = receive(f->b), empty = receive(f->b);
    check_packet(&one, "1");
    check_packet(&three, "3");
    check_packet(&empty, "");
    f->b->settle(f->b, &three);
    f->b->settle(f->b, &one);
    f->b->settle(f->b, &empty);
    check_none(f->b);
}

static void test_loopback__keeps_a_copy(void **state) {
    fixture *f = *state;
    char text[] = "x";
    send_text(f->a, "b", text);
    text[0] = 'y';
    check_all(f->b, "x");
}

static void test_loopback__keeps_packets_for_who_comes_later(void **state) {
    fixture *f = *state;
    send_text(f->a, "c", "1");
    send_text(f->a, "c", "2");
    hr_transport *c = open_end(f, "c");
    check_all(c, "12");
    c->close(c);
}

static void test_loopback__shows_unsettled_packets_to_who_opens_the_end_again(void **state) {
    fixture *f = *state;
    send_letters(f->a, "123");
    hr_packet one = receive(f->b), two = receive(f->b);
    check_packet(&one, "1");
    f->b->settle(f->b, &two);
    f->b->close(f->b);
    f->b = open_end(f, "b");
    check_all(f->b, "13");
    f->b->close(f->b);
    f->b = open_end(f, "b");
    check_none(f->b);
}

static void test_loopback__goes_on_after_the_last_packet_was_settled(void **state) {
    fixture *f = *state;
    send_text(f->a, "b", "1");
    send_text(f->a, "b", "2");
    hr_packet one = receive(f->b), two = receive(f->b);
    f->b->settle(f->b, &two);
    send_text(f->a, "b", "3");
    f->b->settle(f->b, &one);
    send_text(f->a, "b", "4");
    check_all(f->b, "34");
    send_text(f->a, "b", "5");
    check_all(f->b, "5");
}

static void test_loopback__says_whether_a_packet_waits(void **state) {
    fixture *f = *state;
    assert_false(hr_loopback_waits(f->loopback, "b"));
    assert_false(hr_loopback_waits(f->loopback, "nobody"));
    send_text(f->a, "b", "1");
    assert_true(hr_loopback_waits(f->loopback, "b"));
    assert_false(hr_loopback_waits(f->loopback, "a"));
    hr_packet packet = receive(f->b);
    assert_false(hr_loopback_waits(f->loopback, "b")); /* it was received, though not settled */
    f->b->settle(f->b, &packet);
    assert_false(hr_loopback_waits(f->loopback, "b"));
}

/* ---- Many at the same time ---- */

enum { SENDERS = 4, LETTERS = 20000 };

typedef struct sender {
    pthread_t thread;
    hr_transport *end;
    uint8_t number;
    bool failed;
} sender;

/* Numbered packets, and a name that nobody has heard of with each hundredth. */
static void *send_numbers(void *argument) {
    sender *s = argument;
    for (uint32_t i = 0; i < LETTERS; i++) {
        uint32_t packet[2] = {s->number, i};
        char stranger[16];
        snprintf(stranger, sizeof stranger, "x%u", (unsigned)(i / 100));
        if (s->end->send(s->end, "b", packet, sizeof packet, NULL)) s->failed = true;
        if (i % 100 == 0 && s->end->send(s->end, stranger, packet, sizeof packet, NULL)) s->failed = true;
    }
    return NULL;
}

static void test_loopback__carries_for_many_at_the_same_time(void **state) {
    fixture *f = *state;
    sender senders[SENDERS];
    uint32_t next[SENDERS] = {0};
    for (int i = 0; i < SENDERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        senders[i] = (sender){.end = open_end(f, name), .number = (uint8_t)i};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_numbers, &senders[i]), 0);
    }
    for (int taken = 0; taken < SENDERS * LETTERS;) {
        hr_packet packet = receive(f->b);
        uint32_t content[2];
        if (!packet.bytes) continue;
        assert_int_equal(packet.size, sizeof content);
        memcpy(content, packet.bytes, sizeof content);
        f->b->settle(f->b, &packet);
        assert_true(content[0] < SENDERS);
        assert_int_equal(content[1], next[content[0]]++);
        taken++;
    }
    for (int i = 0; i < SENDERS; i++) {
        pthread_join(senders[i].thread, NULL);
        assert_false(senders[i].failed);
        senders[i].end->close(senders[i].end);
    }
    check_none(f->b);
}

static void test_script__decides_what_becomes_of_a_packet(void **state) {
    fixture *f = *state;
    static const hr_loopback_fate fates[] = {HR_FATE_FIRST, HR_FATE_LOST, HR_FATE_TWICE, HR_FATE_FIRST,
                                             HR_FATE_ARRIVES};
    f->fates = fates;
    hr_loopback_script(f->loopback, next_fate, f);
    send_letters(f->a, "123456");
    assert_string_equal(f->from, "a");
    assert_string_equal(f->to, "b");
    assert_int_equal(f->size, 1);
    check_all(f->b, "413356");
    hr_loopback_script(f->loopback, NULL, NULL);
    send_text(f->a, "b", "7");
    check_all(f->b, "7");
}

static void test_loopback__refuses_a_packet_that_is_too_large(void **state) {
    fixture *f = *state;
    hr_error err = {0};
    uint8_t *bytes = calloc(1, HR_PACKET_MAX + 1);
    assert_non_null(bytes);
    assert_int_equal(f->a->send(f->a, "b", bytes, HR_PACKET_MAX + 1, &err), HR_E_LIMIT);
    assert_non_null(strstr(err.message, "larger than"));
    check_none(f->b);
    assert_int_equal(f->a->send(f->a, "b", bytes, HR_PACKET_MAX, &err), HR_OK);
    hr_packet packet = receive(f->b);
    assert_int_equal(packet.size, HR_PACKET_MAX);
    f->b->settle(f->b, &packet);
    free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_loopback__carries_in_order_to_whom_it_is_meant_for),
        TEST(test_loopback__keeps_a_copy),
        TEST(test_loopback__keeps_packets_for_who_comes_later),
        TEST(test_loopback__shows_unsettled_packets_to_who_opens_the_end_again),
        TEST(test_loopback__goes_on_after_the_last_packet_was_settled),
        TEST(test_loopback__says_whether_a_packet_waits),
        TEST(test_loopback__carries_for_many_at_the_same_time),
        TEST(test_script__decides_what_becomes_of_a_packet),
        TEST(test_loopback__refuses_a_packet_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
