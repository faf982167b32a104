/* The bytes of the protocol, version 4: what a party of another build sends and stores is read as it was
 * meant. A difference here is a new version of the protocol (docs/reference/protocol.md), never a change of
 * golden/wire-4.txt.
 *
 * golden/wire-4.txt: a name and the bytes in hexadecimal, a line each. */
#include "federation/protocol/inquiry.h"
#include "federation/protocol/protocol.h"
#include "federation/protocol/wire_tree.h"
#include "federation/sums/federated_id3.h"
#include "privacy/mechanisms.h"
#include "support/message_types.h"
#include "support/test_members.h"

#include <stdio.h>

enum { LINE = 8192 };

static const char path[] = HR_TESTS_DIR "/federation/protocol/golden/wire-4.txt";

/* What the file says of `name`, up to the end of its line. */
static void read_golden(const char *name, char *out) {
    char line[LINE];
    size_t length = strlen(name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    out[0] = '\0';
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, length) && line[length] == ' ') strcpy(out, line + length + 1);
    fclose(file);
    out[strcspn(out, "\n")] = '\0';
}

/* ---- Which fields the file has ---- */

enum { FIELDS = 32 };

/* By type of hedgerow.proto, and by its fields in their order. */
static bool has_field[MESSAGE_TYPES][FIELDS];

static size_t index_of(const ProtobufCMessageDescriptor *type) {
    for (size_t i = 0; i < MESSAGE_TYPES; i++)
        if (message_types[i] == type) return i;
    fail_msg("%s is not in the list of types", type->name);
    return 0;
}

static uint64_t read_varint(const uint8_t **at) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
}

/* Of a message of that type, and of those in it. */
static void note_fields(const ProtobufCMessageDescriptor *type, const uint8_t *at, size_t size) {
    enum { VARINT, FIXED_64, LENGTH };
    bool *has = has_field[index_of(type)];
    assert_true(type->n_fields <= FIELDS);
    for (const uint8_t *end = at + size; at < end;) {
        const uint64_t tag = read_varint(&at);
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3));
        assert_non_null(field);
        has[field - type->fields] = true;
        assert_true((tag & 7) <= LENGTH);
        const uint64_t value = (tag & 7) == FIXED_64 ? 0 : read_varint(&at);
        if (field->type == PROTOBUF_C_TYPE_MESSAGE) note_fields(field->descriptor, at, value);
        at += (tag & 7) == FIXED_64 ? 8 : (tag & 7) == LENGTH ? value : 0;
    }
}

/* The last test: where it fails, add a line to the file that has the field. */
static void test_golden__has_every_field_of_every_type(void **state) {
    (void)state;
    size_t missing = 0;
    for (size_t t = 0; t < MESSAGE_TYPES; t++)
        for (size_t f = 0; f < message_types[t]->n_fields; f++) {
            if (has_field[t][f]) continue;
            print_message("no line has %s.%s\n", message_types[t]->name, message_types[t]->fields[f].name);
            missing++;
        }
    assert_int_equal(missing, 0);
}

/* ---- Lines ---- */

static void check_bytes(const char *name, const ProtobufCMessageDescriptor *type, hr_bytes bytes) {
    char wanted[LINE], made[LINE];
    assert_true(bytes.size < LINE / 2);
    note_fields(type, bytes.at, bytes.size);
    for (size_t i = 0; i < bytes.size; i++) sprintf(made + 2 * i, "%02x", bytes.at[i]);
    made[2 * bytes.size] = '\0';
    free(bytes.at);
    read_golden(name, wanted);
    if (strcmp(made, wanted) == 0) return;
    print_message("%s %s\n", name, made);
    fail_msg("the bytes of '%s' are others", name);
}

static void check_message(const char *name, const void *message) {
    check_bytes(name, ((const ProtobufCMessage *)message)->descriptor, packed(message));
}

static void check_kind(const char *name, Hedgerow__Message__KindCase kind, void *content) {
    Hedgerow__Message m = HEDGEROW__MESSAGE__INIT;
    m.kind_case = kind;
    m.terms = content; /* a union of pointers */
    check_message(name, &m);
}

static void test_golden__terms_and_answers(void **state) {
    (void)state;
    ProtobufCBinaryData names[] = {hr_text_of("anna"), hr_text_of("bert")};
    Hedgerow__Setting set = HEDGEROW__SETTING__INIT, *settings[] = {&set};
    set.name = hr_text_of("depth");
    set.value = hr_text_of("3");
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.name = hr_text_of("job");
    terms.schema = hr_text_of("schema");
    terms.method = hr_text_of("inprivate");
    terms.paper = true;
    terms.epsilon = 1;
    terms.delta = .5;
    terms.settings = settings;
    terms.n_settings = 1;
    terms.rounds = 2;
    terms.broadcast = true;
    terms.vote_share = .25;
    terms.owners = names;
    terms.n_owners = 2;
    terms.last_slots = 3;
    terms.date = 1795305600;
    terms.protocol = 3;
    terms.federation_version = 300;
    terms.federation_fingerprint = hr_text_of("0123 4567");
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.accepted = true;
    answer.signature = hr_text_of("signature");
    Hedgerow__Start start = HEDGEROW__START__INIT;
    ProtobufCBinaryData acceptances[] = {hr_text_of("one"), hr_text_of("two")};
    start.owners = names;
    start.acceptances = acceptances;
    start.n_owners = start.n_acceptances = 2;
    start.signature = hr_text_of("signature");
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.reason = hr_text_of("enough");
    check_kind("terms", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    terms.broadcast = false; /* fields that are both 1 cannot be told apart */
    check_kind("terms-chain", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    check_kind("answer", HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    check_kind("start", HEDGEROW__MESSAGE__KIND_START, &start);
    check_kind("finish", HEDGEROW__MESSAGE__KIND_FINISH, &finish);
}

static void test_golden__beginnings_with_masks(void **state) {
    (void)state;
    ProtobufCBinaryData keys[] = {hr_text_of("key one"), hr_text_of("key two")},
                        signatures[] = {hr_text_of("three"), hr_text_of("four")};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.coalition = 4;
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.mask_key = keys[0];
    answer.mask_signature = signatures[0];
    Hedgerow__Start start = HEDGEROW__START__INIT;
    start.mask_keys = keys;
    start.mask_signatures = signatures;
    start.n_mask_keys = start.n_mask_signatures = 2;
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.model = hr_text_of("model");
    check_kind("terms-coalition", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    check_kind("answer-masks", HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    check_kind("start-masks", HEDGEROW__MESSAGE__KIND_START, &start);
    check_kind("finish-model", HEDGEROW__MESSAGE__KIND_FINISH, &finish);
}

static void test_golden__jobs_that_train_nothing(void **state) {
    (void)state;
    ProtobufCBinaryData columns[] = {hr_text_of("age"), hr_text_of("income")};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.method = hr_text_of("evaluation");
    terms.model = hr_text_of("0123");
    check_kind("terms-evaluation", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    terms = (Hedgerow__Terms)HEDGEROW__TERMS__INIT;
    terms.method = hr_text_of("bounds");
    terms.columns = columns;
    terms.n_columns = 2;
    check_kind("terms-bounds", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    Hedgerow__BoundsQuestion question = HEDGEROW__BOUNDS_QUESTION__INIT;
    Hedgerow__BoundsQuestion__Range range = HEDGEROW__BOUNDS_QUESTION__RANGE__INIT, *ranges[] = {&range};
    hr_bytes bytes = {0};
    range.column = 1;
    range.last = true;
    range.low = -1;
    range.high = 2;
    question.ranges = ranges;
    question.n_ranges = 1;
    assert_int_equal(hr_message_pack(&question.base, &bytes, NULL), HR_OK);
    check_bytes("question-bounds", question.base.descriptor, bytes);
}

static void test_golden__terms_of_some_methods(void **state) {
    (void)state;
    ProtobufCBinaryData receipts[] = {hr_text_of("receipt")};
    uint64_t least[] = {2, 300}, most[] = {400, 5};
    Hedgerow__Terms terms = HEDGEROW__TERMS__INIT;
    terms.train = hr_text_of("gbdt");
    terms.coordinator_owner = hr_text_of("anna");
    terms.records_least = least;
    terms.records_most = most;
    terms.n_records_least = terms.n_records_most = 2;
    terms.last_receipts = receipts;
    terms.n_last_receipts = 1;
    check_kind("terms-bounded", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    terms = (Hedgerow__Terms)HEDGEROW__TERMS__INIT;
    terms.exact_rounds = true;
    check_kind("terms-exact-rounds", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    terms.exact_rounds = false; /* fields that are both 1 cannot be told apart */
    terms.exact_trees = true;
    check_kind("terms-exact-trees", HEDGEROW__MESSAGE__KIND_TERMS, &terms);
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.wants_model = true;
    check_kind("answer-wants-model", HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    answer.wants_model = false;
    answer.receipts = receipts;
    answer.n_receipts = 1;
    check_kind("answer-receipts", HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
    Hedgerow__Finish finish = HEDGEROW__FINISH__INIT;
    finish.ending = 300;
    check_kind("finish-ending", HEDGEROW__MESSAGE__KIND_FINISH, &finish);
}

static void test_golden__receipts(void **state) {
    (void)state;
    Hedgerow__Receipt receipt = HEDGEROW__RECEIPT__INIT;
    receipt = (Hedgerow__Receipt){.base = receipt.base,
                                  .federation = hr_text_of("hospitals"),
                                  .owner = hr_text_of("anna"),
                                  .coordinator = hr_text_of("coordinator"),
                                  .job = hr_text_of("0123456789abcdef"),
                                  .purpose = hr_text_of("job"),
                                  .number = 2,
                                  .previous = hr_text_of("digest"),
                                  .date = 1795305600,
                                  .epsilon = 1,
                                  .delta = .5,
                                  .unit = hr_text_of("person"),
                                  .signature = hr_text_of("signature")};
    check_message("receipt", &receipt);
}

static void test_golden__sums_that_are_prepared(void **state) {
    (void)state;
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = 4;
    ask.body = hr_text_of("nodes");
    Hedgerow__Ready ready = HEDGEROW__READY__INIT;
    ready.sum = 5;
    Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
    members.position = 4;
    members.members = hr_text_of("set");
    Hedgerow__Question question = HEDGEROW__QUESTION__INIT;
    question.body = hr_text_of("body");
    question.values = 6;
    question.prepared = true;
    check_kind("ask-without-set", HEDGEROW__MESSAGE__KIND_ASK, &ask);
    check_kind("ready", HEDGEROW__MESSAGE__KIND_READY, &ready);
    check_kind("members", HEDGEROW__MESSAGE__KIND_MEMBERS, &members);
    check_message("question-prepared", &question);
}

static void test_golden__sums_and_choices(void **state) {
    (void)state;
    uint64_t values[] = {1, UINT64_MAX};
    Hedgerow__Turn turn = HEDGEROW__TURN__INIT;
    turn.turn = 1;
    turn.body = hr_text_of("candidates");
    Hedgerow__Choice choice = HEDGEROW__CHOICE__INIT;
    choice.turn = 2;
    choice.index = 3;
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = 4;
    ask.members = hr_text_of("set");
    ask.body = hr_text_of("nodes");
    Hedgerow__Share share = HEDGEROW__SHARE__INIT;
    share.position = 5;
    share.values = values;
    share.n_values = 2;
    Hedgerow__Question question = HEDGEROW__QUESTION__INIT;
    question.body = hr_text_of("body");
    question.values = 6;
    question.turns = 7;
    check_kind("turn", HEDGEROW__MESSAGE__KIND_TURN, &turn);
    check_kind("choice", HEDGEROW__MESSAGE__KIND_CHOICE, &choice);
    check_kind("ask", HEDGEROW__MESSAGE__KIND_ASK, &ask);
    check_kind("share", HEDGEROW__MESSAGE__KIND_SHARE, &share);
    Hedgerow__Pass pass = HEDGEROW__PASS__INIT;
    pass.position = 8;
    pass.values = values;
    pass.n_values = 2;
    check_kind("pass", HEDGEROW__MESSAGE__KIND_PASS, &pass);
    Hedgerow__Released released = HEDGEROW__RELEASED__INIT;
    released.model = hr_text_of("model");
    released.signature = hr_text_of("signature");
    check_kind("released", HEDGEROW__MESSAGE__KIND_RELEASED, &released);
    check_message("question", &question);
    question = (Hedgerow__Question)HEDGEROW__QUESTION__INIT;
    question.done = true;
    question.model = hr_text_of("model");
    check_message("question-done", &question);
}

/* ---- The bodies of questions ---- */

/* A level of nodes 1 and 3, which two splits made, and the leaves. */
static void test_golden__questions_of_id3(void **state) {
    (void)state;
    const uint32_t divided[] = {0, 2};
    const hr_child_rule divisions[] = {{.feature = 5, .every_bin = true}, {.feature = 6, .every_bin = true}};
    const hr_stats_query level[] = {{.answer = HR_STATS_BINS, .node = 1, .feature = 6},
                                    {.answer = HR_STATS_BINS, .node = 1, .feature = 7},
                                    {.answer = HR_STATS_BINS, .node = 3, .feature = 7}},
                         leaves[] = {{.answer = HR_STATS_LEAVES}};
    hr_id3_question question = {.divided = divided,
                                .divisions = divisions,
                                .divided_count = 2,
                                .queries = level,
                                .query_count = 3,
                                .line.cost = 300};
    hr_bytes bytes = {0};
    assert_int_equal(hr_id3_question_pack(&question, &bytes, NULL), HR_OK);
    check_bytes("question-id3-level", &hedgerow__id3_question__descriptor, bytes);
    question.queries = leaves;
    question.query_count = 1;
    assert_int_equal(hr_id3_question_pack(&question, &bytes, NULL), HR_OK);
    check_bytes("question-id3-leaves", &hedgerow__id3_question__descriptor, bytes);
}

static void test_golden__question_of_hedge_with_cuts(void **state) {
    (void)state;
    hr_bytes bytes = {0};
    double cuts[] = {.5, 2};
    Hedgerow__HedgeQuestion of_times = HEDGEROW__HEDGE_QUESTION__INIT;
    of_times.cuts = cuts;
    of_times.n_cuts = 2;
    assert_int_equal(hr_message_pack(&of_times.base, &bytes, NULL), HR_OK);
    check_bytes("question-hedge-of-times", of_times.base.descriptor, bytes);
}

static void test_golden__questions_of_hedge(void **state) {
    (void)state;
    uint64_t costs[] = {300, 2}, subsets[] = {1, 2, 3, UINT64_MAX};
    uint32_t numbers[] = {4, 5}, left[] = {1, 0};
    protobuf_c_boolean sides[] = {true, false};
    double reals[] = {.5, -2};
    Hedgerow__HedgeNodes nodes = HEDGEROW__HEDGE_NODES__INIT, *levels[] = {&nodes};
    Hedgerow__HedgeEdges edges = HEDGEROW__HEDGE_EDGES__INIT, *all_edges[] = {&edges};
    Hedgerow__HedgeTree tree = HEDGEROW__HEDGE_TREE__INIT, *trees[] = {&tree};
    nodes = (Hedgerow__HedgeNodes){nodes.base, 1, 2, 2, numbers};
    edges = (Hedgerow__HedgeEdges){edges.base, 3, 2, reals};
    tree = (Hedgerow__HedgeTree){tree.base, 2, left,  2, numbers, 2, numbers, 2,
                                 left,      2, sides, 4, subsets, 2, reals};
    Hedgerow__HedgeQuestion question = HEDGEROW__HEDGE_QUESTION__INIT;
    question = (Hedgerow__HedgeQuestion){question.base,
                                         HEDGEROW__HEDGE_QUESTION__KIND__RELIABILITY,
                                         2,
                                         costs,
                                         1,
                                         levels,
                                         1,
                                         all_edges,
                                         2,
                                         reals,
                                         1,
                                         trees,
                                         -6,
                                         7,
                                         2,
                                         reals,
                                         0,
                                         0,
                                         NULL};
    hr_bytes bytes = {0};
    assert_int_equal(hr_message_pack(&question.base, &bytes, NULL), HR_OK);
    check_bytes("question-hedge", question.base.descriptor, bytes);
    Hedgerow__HedgeQuestion of_quantiles = HEDGEROW__HEDGE_QUESTION__INIT;
    of_quantiles.kind = HEDGEROW__HEDGE_QUESTION__KIND__LEAVES;
    of_quantiles.bound = 1 << 12;
    of_quantiles.width = .25;
    assert_int_equal(hr_message_pack(&of_quantiles.base, &bytes, NULL), HR_OK);
    check_bytes("question-hedge-of-quantiles", of_quantiles.base.descriptor, bytes);
    static const Hedgerow__HedgeQuestion__Kind kinds[] = {
        HEDGEROW__HEDGE_QUESTION__KIND__TOTALS,      HEDGEROW__HEDGE_QUESTION__KIND__BINS,
        HEDGEROW__HEDGE_QUESTION__KIND__CHOICE,      HEDGEROW__HEDGE_QUESTION__KIND__LEAVES,
        HEDGEROW__HEDGE_QUESTION__KIND__RELIABILITY, HEDGEROW__HEDGE_QUESTION__KIND__CUTS,
        HEDGEROW__HEDGE_QUESTION__KIND__LEVELS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) assert_int_equal(kinds[i], i);
}

static void test_golden__forests(void **state) {
    (void)state;
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT, *slots[] = {&slot};
    slot.slot = 1;
    slot.tree = hr_text_of("tree");
    slot.signature = hr_text_of("signature");
    Hedgerow__Forest forest = HEDGEROW__FOREST__INIT;
    forest.slots = slots;
    forest.n_slots = 1;
    forest.start = hr_text_of("start");
    forest.signature = slot.signature;
    Hedgerow__Skip skip = HEDGEROW__SKIP__INIT;
    skip.slot = 3;
    skip.signature = slot.signature;
    Hedgerow__Round round = HEDGEROW__ROUND__INIT;
    round.round = 1;
    round.forest = &forest;
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    poll.round = 4;
    poll.forest = &forest;
    check_kind("forest", HEDGEROW__MESSAGE__KIND_FOREST, &forest);
    check_kind("skip", HEDGEROW__MESSAGE__KIND_SKIP, &skip);
    check_kind("round", HEDGEROW__MESSAGE__KIND_ROUND, &round);
    check_kind("poll", HEDGEROW__MESSAGE__KIND_POLL, &poll);
}

static void test_golden__notices_and_ballots(void **state) {
    (void)state;
    Hedgerow__Notice empty = HEDGEROW__NOTICE__INIT, refused = HEDGEROW__NOTICE__INIT;
    Hedgerow__Notice two_trees = HEDGEROW__NOTICE__INIT;
    Hedgerow__Slot slot = HEDGEROW__SLOT__INIT;
    slot.slot = 2;
    slot.tree = hr_text_of("tree");
    slot.signature = hr_text_of("signature");
    empty.slot = refused.slot = two_trees.slot = 2;
    two_trees.kind = HEDGEROW__NOTICE__KIND__TWO_TREES;
    Hedgerow__Slot other = slot;
    other.tree = hr_text_of("other tree");
    two_trees.first = &slot;
    two_trees.second = &other;
    empty.kind = HEDGEROW__NOTICE__KIND__EMPTY;
    refused.kind = HEDGEROW__NOTICE__KIND__REFUSED;
    Hedgerow__Release release = HEDGEROW__RELEASE__INIT, *releases[] = {&release};
    release = (Hedgerow__Release){.base = release.base,
                                  .what = hr_text_of("gain"),
                                  .tree = -1,
                                  .level = -1,
                                  .group = 1,
                                  .part = 2,
                                  .cost = 3,
                                  .sensitivity = 4,
                                  .mechanism = 1,
                                  .scale_num = 5,
                                  .scale_den = 6,
                                  .draws = 7};
    int64_t tails[] = {-3, 4};
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    ballot.round = 1;
    ballot.counted = true;
    ballot.gain = -1024;
    ballot.records = 1 << 20;
    ballot.releases = releases;
    ballot.n_releases = 1;
    ballot.tails = tails;
    ballot.n_tails = 2;
    check_kind("notice-empty", HEDGEROW__MESSAGE__KIND_NOTICE, &empty);
    check_kind("notice-refused", HEDGEROW__MESSAGE__KIND_NOTICE, &refused);
    check_kind("notice-two-trees", HEDGEROW__MESSAGE__KIND_NOTICE, &two_trees);
    check_kind("ballot", HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
    ballot.counted = false;
    check_kind("ballot-none", HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
}

static void test_golden__votes_on_trees(void **state) {
    (void)state;
    Hedgerow__Poll poll = HEDGEROW__POLL__INIT;
    poll.tree = 5;
    Hedgerow__Ballot ballot = HEDGEROW__BALLOT__INIT;
    ballot.tree = 6;
    Hedgerow__Verdict verdict = HEDGEROW__VERDICT__INIT;
    verdict.slot = 7;
    verdict.stays = true;
    check_kind("poll-tree", HEDGEROW__MESSAGE__KIND_POLL, &poll);
    check_kind("ballot-tree", HEDGEROW__MESSAGE__KIND_BALLOT, &ballot);
    check_kind("verdict", HEDGEROW__MESSAGE__KIND_VERDICT, &verdict);
}

static void test_golden__envelopes(void **state) {
    (void)state;
    Hedgerow__Envelope e = HEDGEROW__ENVELOPE__INIT;
    e = (Hedgerow__Envelope){.base = e.base,
                             .version = 4,
                             .federation = hr_text_of("hospitals"),
                             .job = hr_text_of("0123456789abcdef"),
                             .from = hr_text_of("anna"),
                             .to = hr_text_of("bert"),
                             .sequence = 9,
                             .more = true,
                             .body = hr_text_of("body"),
                             .received = 8};
    check_message("envelope", &e);
    e.more = false;
    check_message("envelope-last", &e);
    e.sequence = 0;
    e.body = hr_text_of("");
    check_message("envelope-ack", &e);
    Hedgerow__Decline decline = HEDGEROW__DECLINE__INIT;
    decline.code = HEDGEROW__DECLINE__CODE__UNKNOWN_MEMBER;
    decline.text = hr_text_of("why");
    decline.signature = hr_text_of("signature");
    e = (Hedgerow__Envelope){.base = e.base,
                             .version = 4,
                             .federation = hr_text_of("hospitals"),
                             .job = hr_text_of("0123456789abcdef"),
                             .from = hr_text_of("anna"),
                             .to = hr_text_of("bert"),
                             .decline = &decline};
    check_message("envelope-decline", &e); /* the same in all versions but for its first field's value */
    check_bytes("envelope-decline", &hedgerow__envelope_head__descriptor, packed(&e));
    e.decline = NULL;
    e.aside = true;
    e.body = hr_text_of("body");
    check_message("envelope-aside", &e);
    Hedgerow__Answer answer = HEDGEROW__ANSWER__INIT;
    answer.decline = &decline;
    check_kind("answer-declines", HEDGEROW__MESSAGE__KIND_ANSWER, &answer);
}

/* A tree of three nodes, with a release by every mechanism, or by those whose noise is shared. */
static void test_golden__trees_and_mechanisms(void **state) {
    (void)state;
    enum { UNSHARED = 5 };
    static const hr_mechanism mechanisms[] = {HR_MECHANISM_IDENTITY,
                                              HR_MECHANISM_DISCRETE_LAPLACE,
                                              HR_MECHANISM_DISCRETE_GAUSSIAN,
                                              HR_MECHANISM_EXPONENTIAL,
                                              HR_MECHANISM_PERMUTE_AND_FLIP,
                                              HR_MECHANISM_SHARED_DISCRETE_GAUSSIAN,
                                              HR_MECHANISM_SHARED_DISCRETE_LAPLACE};
    hr_tree_slot where = {.owner = "anna", .slot = 3};
    memcpy(where.start.bytes, "0123456789abcdef0123456789abcdef", HR_DIGEST_SIZE);
    hr_node nodes[] = {
        {.left = 1, .feature = 2, .threshold = .5, .missing_left = true}, {.value = -1}, {.value = 1}};
    hr_bin_set subsets[] = {{{1, 2, 3, 4}}};
    hr_release releases[sizeof mechanisms / sizeof *mechanisms];
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
        releases[i] = (hr_release){.what = "line",
                                   .tree = 3,
                                   .level = 1,
                                   .group = 4,
                                   .part = 5,
                                   .cost = 6,
                                   .sensitivity = 7,
                                   .mechanism = mechanisms[i],
                                   .scale_num = 8,
                                   .scale_den = 9,
                                   .draws = 10,
                                   .shares = i < UNSHARED ? 0 : 11};
    hr_paid_tree tree = {.tree = {.nodes = nodes, .node_count = 3, .subsets = subsets, .subset_count = 1},
                         .releases = releases,
                         .release_count = UNSHARED};
    static const uint8_t known[] = {5};
    tree.set.known = known;
    memcpy(tree.set.digest.bytes, "fedcba9876543210fedcba9876543210", HR_DIGEST_SIZE);
    hr_bytes bytes = {0};
    assert_int_equal(hr_wire_tree_pack(&where, &tree, &bytes, NULL), HR_OK);
    check_bytes("tree", &hedgerow__tree__descriptor, bytes);
    nodes[0].missing_left = false;
    assert_int_equal(hr_wire_tree_pack(&where, &tree, &bytes, NULL), HR_OK);
    check_bytes("tree-missing-right", &hedgerow__tree__descriptor, bytes);
    tree.releases = releases + UNSHARED;
    tree.release_count = sizeof releases / sizeof *releases - UNSHARED;
    assert_int_equal(hr_wire_tree_pack(&where, &tree, &bytes, NULL), HR_OK);
    check_bytes("tree-shares", &hedgerow__tree__descriptor, bytes);
    assert_null(hr_mechanism_info_of(sizeof mechanisms / sizeof *mechanisms));
}

static void test_golden__simfl(void **state) {
    (void)state;
    uint32_t rows[] = {1, 300};
    int64_t sums[] = {-2, 3}, gradients[] = {-1, 1 << 20};
    uint64_t weights[] = {0, 256};
    Hedgerow__SimflSize size = HEDGEROW__SIMFL_SIZE__INIT;
    size.rows = 300;
    size.sums = sums;
    size.n_sums = 2;
    Hedgerow__SimflSizes sizes = HEDGEROW__SIMFL_SIZES__INIT;
    sizes.rows = rows;
    sizes.sums = sums;
    sizes.n_rows = sizes.n_sums = 2;
    Hedgerow__SimflHashes hashes = HEDGEROW__SIMFL_HASHES__INIT;
    hashes.rows = 300;
    hashes.first = 7;
    hashes.hashes = hr_text_of("hashes");
    Hedgerow__SimflTurn turn = HEDGEROW__SIMFL_TURN__INIT;
    turn.tree = 1;
    turn.last = hr_text_of("tree");
    Hedgerow__SimflGradients wire = HEDGEROW__SIMFL_GRADIENTS__INIT;
    wire.tree = 2;
    wire.gradients = gradients;
    wire.weights = weights;
    wire.n_gradients = wire.n_weights = 2;
    Hedgerow__SimflGradients later = wire;
    later.first = 300;
    Hedgerow__SimflTree tree = HEDGEROW__SIMFL_TREE__INIT;
    tree.tree = turn.last;
    Hedgerow__Notice notice = HEDGEROW__NOTICE__INIT;
    notice.slot = 3;
    notice.kind = HEDGEROW__NOTICE__KIND__SENT;
    check_kind("simfl-size", HEDGEROW__MESSAGE__KIND_SIMFL_SIZE, &size);
    check_kind("simfl-sizes", HEDGEROW__MESSAGE__KIND_SIMFL_SIZES, &sizes);
    check_kind("simfl-hashes", HEDGEROW__MESSAGE__KIND_SIMFL_HASHES, &hashes);
    check_kind("simfl-turn", HEDGEROW__MESSAGE__KIND_SIMFL_TURN, &turn);
    check_kind("simfl-gradients", HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &wire);
    check_kind("simfl-gradients-later", HEDGEROW__MESSAGE__KIND_SIMFL_GRADIENTS, &later);
    check_kind("simfl-tree", HEDGEROW__MESSAGE__KIND_SIMFL_TREE, &tree);
    check_kind("notice-sent", HEDGEROW__MESSAGE__KIND_NOTICE, &notice);
}

/* What journals hold of an event is its number (src/federation/party/party.c), and its bytes, which are
 * messages. */
static void test_golden__events(void **state) {
    (void)state;
    static const hr_event_kind events[] = {HR_EVENT_MESSAGE,   HR_EVENT_DECIDED, HR_EVENT_WORK_STARTED,
                                           HR_EVENT_WORK_DONE, HR_EVENT_TIMEOUT, HR_EVENT_NEXT_QUESTION};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) assert_int_equal(events[i], i + 1);
    assert_int_equal(HR_DECIDED_ACCEPTS, 1);
}

static void test_golden__messages_of_no_job(void **state) {
    (void)state;
    hr_held_jobs held = {.count = 1};
    hr_bytes inquiry = {0}, answer = {0};
    held.jobs[0] = (hr_held_job){.name = "job", .date = 5, .charged = true};
    memcpy(held.jobs[0].id.bytes, "0123456789abcdef", HR_JOB_BYTES);
    assert_int_equal(hr_inquiry_make(7, &inquiry, NULL), HR_OK);
    assert_int_equal(hr_held_jobs_make(&held, &answer, NULL), HR_OK);
    check_bytes("inquiry", &hedgerow__aside__descriptor, inquiry);
    check_bytes("held", &hedgerow__aside__descriptor, answer);
}

static void test_golden__hellos(void **state) {
    (void)state;
    Hedgerow__HelloBody body = HEDGEROW__HELLO_BODY__INIT;
    body = (Hedgerow__HelloBody){.base = body.base,
                                 .protocol = 4,
                                 .federation = hr_text_of("hospitals"),
                                 .version = 300,
                                 .fingerprint = hr_text_of("0123 4567"),
                                 .member = hr_text_of("anna"),
                                 .date = 1795305600000,
                                 .session = 7,
                                 .period = 30,
                                 .state = HEDGEROW__HELLO_BODY__STATE__ASKING};
    Hedgerow__Hello hello = HEDGEROW__HELLO__INIT;
    hello.body = hr_text_of("body");
    hello.signature = hr_text_of("signature");
    check_message("hello-body", &body);
    check_message("hello", &hello);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__messages_of_no_job),
        cmocka_unit_test(test_golden__questions_of_id3),
        cmocka_unit_test(test_golden__questions_of_hedge),
        cmocka_unit_test(test_golden__question_of_hedge_with_cuts),
        cmocka_unit_test(test_golden__terms_and_answers),
        cmocka_unit_test(test_golden__forests),
        cmocka_unit_test(test_golden__beginnings_with_masks),
        cmocka_unit_test(test_golden__jobs_that_train_nothing),
        cmocka_unit_test(test_golden__sums_and_choices),
        cmocka_unit_test(test_golden__notices_and_ballots),
        cmocka_unit_test(test_golden__envelopes),
        cmocka_unit_test(test_golden__trees_and_mechanisms),
        cmocka_unit_test(test_golden__events),
        cmocka_unit_test(test_golden__simfl),
        cmocka_unit_test(test_golden__terms_of_some_methods),
        cmocka_unit_test(test_golden__receipts),
        cmocka_unit_test(test_golden__sums_that_are_prepared),
        cmocka_unit_test(test_golden__votes_on_trees),
        cmocka_unit_test(test_golden__hellos),
        cmocka_unit_test(test_golden__has_every_field_of_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
