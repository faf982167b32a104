/* Who may join: a process that has reached rank 0 through the encryption is refused unless it has the key,
 * fits the job and sends what a rank sends. It is told why. */
#include "support/check.h"
#include "trees/cluster/zeromq_link.h"

#include <string.h>

static const char key[] = "c4cc7d17c054a542aa4d16aa3868b6ac823f3e0025356de5dd22718664205a27";

/* As zeromq_join.c sends it. */
typedef struct request {
    char format[8];
    uint8_t proof[HR_DIGEST_SIZE];
    uint64_t rank, size;
    char host[64];
} request;

typedef struct stranger {
    void *context, *socket;
} stranger;

/* Rank 0 of two, before it waits. */
static hr_cluster_link first_rank(void) {
    const hr_cluster_zeromq options = {
        .size = 2, .address = "tcp://127.0.0.1:0", .key = key, .join_seconds = 1};
    hr_cluster_link link;
    hr_error err = {0};
    assert_int_equal(hr_cluster_zeromq_open(&options, &link, &err), HR_OK);
    return link;
}

/* It knows rank 0's public key, and has a pair of its own. */
static stranger stranger_at(const char *address) {
    uint8_t bytes[HR_ZEROMQ_KEY];
    char secret[41], server[41], own[41], own_secret[41];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)strtoul((char[]){key[2 * i], key[2 * i + 1], '\0'}, NULL, 16);
    assert_non_null(zmq_z85_encode(secret, bytes, sizeof bytes));
    assert_int_equal(zmq_curve_public(server, secret), 0);
    assert_int_equal(zmq_curve_keypair(own, own_secret), 0);
    stranger s = {zmq_ctx_new(), NULL};
    const int wait_ms = 60000, none = 0;
    s.socket = zmq_socket(s.context, ZMQ_DEALER);
    zmq_setsockopt(s.socket, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(s.socket, ZMQ_RCVTIMEO, &wait_ms, sizeof wait_ms);
    zmq_setsockopt(s.socket, ZMQ_CURVE_SERVERKEY, server, sizeof server);
    zmq_setsockopt(s.socket, ZMQ_CURVE_PUBLICKEY, own, sizeof own);
    zmq_setsockopt(s.socket, ZMQ_CURVE_SECRETKEY, own_secret, sizeof own_secret);
    assert_int_equal(zmq_connect(s.socket, address), 0);
    return s;
}

static void send_kind(stranger *s, unsigned char kind, const void *body, size_t size) {
    assert_int_equal(zmq_send(s->socket, &kind, 1, ZMQ_SNDMORE), 1);
    assert_int_equal(zmq_send(s->socket, body, size, 0), size);
}

static void assert_refused(stranger *s, const char *reason) {
    unsigned char kind = 0;
    char text[100] = "";
    assert_int_equal(zmq_recv(s->socket, &kind, 1, 0), 1);
    assert_true(zmq_recv(s->socket, text, sizeof text - 1, 0) > 0);
    assert_int_equal(kind, HR_ZEROMQ_END);
    assert_string_equal(text, reason);
}

static void end_stranger(stranger *s) {
    zmq_close(s->socket);
    zmq_ctx_term(s->context);
}

static request right_request(const hr_cluster_link *link) {
    request r = {.format = "ranks 1", .rank = 1, .size = 2, .host = "somewhere"};
    memcpy(r.proof, ((hr_zeromq_link *)link->state)->proof.bytes, sizeof r.proof);
    return r;
}

static void who_does_not_fit_is_refused(void **state) {
    (void)state;
    static const char not_understood[] = "rank 0 does not understand the process";
    hr_cluster_link link = first_rank();
    hr_error err = {0};
    stranger s = stranger_at(link.address);
    const request right = right_request(&link);
    request changed[5];
    for (size_t i = 0; i < COUNT(changed); i++) changed[i] = right;
    changed[0].proof[31] ^= 1;
    changed[1].format[6] = '2';
    changed[2].size = 3;
    changed[3].rank = 0;
    changed[4].rank = 2;
    for (size_t i = 0; i < COUNT(changed); i++) send_kind(&s, HR_ZEROMQ_JOIN, &changed[i], sizeof right);
    send_kind(&s, HR_ZEROMQ_JOIN, &right, sizeof right - 1);
    send_kind(&s, HR_ZEROMQ_JOIN, &right, 0);
    send_kind(&s, HR_ZEROMQ_PART, &right, sizeof right);
    send_kind(&s, 77, &right, sizeof right);
    /* Of other frames than messages have: dropped. */
    assert_int_equal(zmq_send(s.socket, &right, sizeof right, 0), sizeof right);
    assert_int_equal(zmq_send(s.socket, "\1", 1, ZMQ_SNDMORE), 1);
    assert_int_equal(zmq_send(s.socket, &right, sizeof right, ZMQ_SNDMORE), sizeof right);
    assert_int_equal(zmq_send(s.socket, "", 0, 0), 0);
    assert_int_equal(link.join(link.state, &err), HR_E_IO);
    assert_string_equal(err.message, "rank 1 did not join within 1 seconds");
    assert_refused(&s, "the process has another key");
    assert_refused(&s, "the process has another version of Hedgerow");
    assert_refused(&s, "the process was told another number of ranks, 3, than rank 0, 2");
    assert_refused(&s, "its rank is none of the others'");
    assert_refused(&s, "its rank is none of the others'");
    for (int i = 0; i < 4; i++) assert_refused(&s, not_understood);
    end_stranger(&s);
    link.close(link.state);
}

/* The same process with the right request: so nothing else refused it. */
static void who_fits_joins(void **state) {
    (void)state;
    hr_cluster_link link = first_rank();
    hr_error err = {0};
    stranger s = stranger_at(link.address);
    const request right = right_request(&link);
    unsigned char kind = 0;
    send_kind(&s, HR_ZEROMQ_JOIN, &right, sizeof right);
    assert_int_equal(link.join(link.state, &err), HR_OK);
    assert_int_equal(zmq_recv(s.socket, &kind, 1, 0), 1);
    assert_int_equal(kind, HR_ZEROMQ_READY);
    assert_int_equal(zmq_recv(s.socket, NULL, 0, 0), 0);
    /* A part of another size is no part of this sum. */
    int64_t word = 1;
    send_kind(&s, HR_ZEROMQ_PART, "1234567", 7);
    assert_int_equal(link.sum(link.state, &word, 1, &err), HR_E_FORMAT);
    assert_string_equal(err.message, "rank 1 sent what no rank waits for");
    assert_refused(&s, "rank 1 sent what no rank waits for");
    end_stranger(&s);
    link.close(link.state);
}

/* Nor is it told of as one when the time is over. */
static void other_frames_are_no_message(void **state) {
    (void)state;
    hr_cluster_link link = first_rank();
    hr_zeromq_link *const own = link.state;
    hr_error err = {0};
    hr_zeromq_message m;
    stranger s = stranger_at(link.address);
    const request right = right_request(&link);
    const unsigned char kind = HR_ZEROMQ_JOIN;
    hr_zeromq_message_init(&m);
    for (int frames = 1; frames <= 3; frames += 2) {
        zmq_pollitem_t item = {.socket = own->socket, .events = ZMQ_POLLIN};
        assert_int_equal(zmq_send(s.socket, &kind, 1, frames > 1 ? ZMQ_SNDMORE : 0), 1);
        for (int i = 1; i < frames; i++)
            assert_int_equal(zmq_send(s.socket, &right, sizeof right, i + 1 < frames ? ZMQ_SNDMORE : 0),
                             sizeof right);
        assert_int_equal(zmq_poll(&item, 1, 60000), 1);
        assert_int_equal(hr_zeromq_await(own, 0, &m, &err), HR_OK);
        assert_int_equal(m.kind, HR_ZEROMQ_NOTHING);
    }
    hr_zeromq_message_done(&m);
    end_stranger(&s);
    link.close(link.state);
}

static void options_are_checked(void **state) {
    (void)state;
    const hr_cluster_zeromq right = {.size = 2, .address = "tcp://127.0.0.1:0", .key = key};
    hr_cluster_zeromq wrong[11];
    hr_cluster_link link;
    for (size_t i = 0; i < COUNT(wrong); i++) wrong[i] = right;
    wrong[0].rank = 2;
    wrong[1].size = HR_CLUSTER_RANKS_MAX + 1;
    wrong[2].address = NULL;
    wrong[3].address = "ipc:///tmp/x";
    wrong[4].key = NULL;
    wrong[5].key = "C4CC7D17C054A542AA4D16AA3868B6AC823F3E0025356DE5DD22718664205A27";
    wrong[6].join_seconds = -1;
    wrong[7].silence_seconds = 1e9;
    wrong[8].address = "tcp://127.0.0.1:65536";
    wrong[9].address = "tcp://127.0.0.1";
    wrong[10].rank = 1; /* without the port that rank 0 took */
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(hr_cluster_zeromq_open(&wrong[i], &link, NULL), HR_E_ARGUMENT);
    char made[HR_CLUSTER_KEY_TEXT], other[HR_CLUSTER_KEY_TEXT];
    assert_int_equal(hr_cluster_key(made, NULL), HR_OK);
    assert_int_equal(hr_cluster_key(other, NULL), HR_OK);
    assert_int_equal(strlen(made), HR_CLUSTER_KEY_TEXT - 1);
    assert_string_not_equal(made, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_fit_is_refused),
        cmocka_unit_test(who_fits_joins),
        cmocka_unit_test(other_frames_are_no_message),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
