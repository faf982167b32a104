/* Jobs of SimFL between machines: a coordinator and three owners whose letters keep their order. Numbers of
 * records, hashes and gradients are made up; trees are leaves. */
#ifndef HR_TESTS_SUPPORT_SIMFL_SIMULATOR_H
#define HR_TESTS_SUPPORT_SIMFL_SIMULATOR_H

#include "support/test_members.h"

#include "federation/machines/simfl_exchange.h"

enum {
    SIMFL_PARTIES = 4,
    SIMFL_OWNERS = 3,
    SIMFL_EVENTS = 128,
    SIMFL_LETTERS = 64,
    SIMFL_TREES = 4,
    SIMFL_TABLES = 3,
    SIMFL_ROWS = 3
};
enum { SIMFL_GRADIENT = 100, SIMFL_WEIGHT = 10 };

extern const uint32_t simfl_rows[SIMFL_PARTIES];

typedef struct simfl_letter {
    size_t from, to;
    hr_bytes bytes;
} simfl_letter;

typedef struct simfl_log {
    uint8_t at[1 << 16];
    size_t size;
} simfl_log;

typedef struct simfl_sim_party {
    hr_protocol_setup setup;
    hr_protocol *machine;
    hr_event events[SIMFL_EVENTS];
    size_t event_count, works;
    bool away, decides, has_work, loses, finished, failed, cut[MEMBERS];
    char why[HR_ACTION_TEXT], cut_why[HR_ACTION_TEXT];
    simfl_log actions;
} simfl_sim_party;

typedef struct simfl_sim simfl_sim;
struct simfl_sim {
    const test_members *f;
    hr_bytes terms;
    simfl_sim_party parties[SIMFL_PARTIES];
    simfl_letter letters[SIMFL_LETTERS];
    size_t letter_count, relayed; /* relayed: hashes and gradients that came to the coordinator */
    /* Changes a message; false: it is not sent. NULL: nobody lies. */
    bool (*tamper)(simfl_sim *b, size_t from, size_t to, Hedgerow__Message *m);
    size_t count; /* for tamper */
    char said[4096];
};

void simfl_run(simfl_sim *b);
void simfl_run_until(simfl_sim *b, size_t who, hr_simfl_task task);
bool simfl_step(simfl_sim *b);
void simfl_feed(simfl_sim *b, size_t who, hr_event event);
void simfl_feed_bytes(simfl_sim *b, size_t from, size_t to, hr_bytes bytes);
void simfl_send(simfl_sim *b, size_t from, size_t to, Hedgerow__Message__KindCase kind, const void *content);
bool simfl_deliver(simfl_sim *b);
void simfl_do_work(simfl_sim *b, size_t who);
simfl_sim *simfl_open(const test_members *f);
void simfl_close(simfl_sim *b);
void simfl_check_failed(const simfl_sim *b, const char *why);
void simfl_check_cut(const simfl_sim *b, size_t by, size_t who, const char *why);
Hedgerow__Message *simfl_unpacked(hr_bytes bytes);
Hedgerow__Terms simfl_plain_terms(ProtobufCBinaryData owners[SIMFL_OWNERS]);
hr_status simfl_test_rules(const Hedgerow__Terms *terms, const hr_schema *schema, hr_simfl_rules *out,
                           hr_error *err);
int16_t simfl_test_hash(size_t who, size_t i);

#endif
