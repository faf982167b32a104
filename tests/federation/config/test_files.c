/* The files of a federation: what is read, and every error with its words. */
#include "federation/config/federation_file.h"
#include "federation/config/job_file.h"
#include "federation/config/owner_file.h"
#include "federation/federated/federated_method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN HR_TESTS_DIR "/federation/config/golden/"
#define KEY_A "hr-ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define KEY_B "hr-ed25519:PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="

static int open_arena(void **state) {
    *state = hr_arena_new();
    return *state ? 0 : -1;
}

static int close_arena(void **state) {
    hr_arena_free(*state);
    return 0;
}

static void must(hr_status status, const hr_error *err) {
    char message[1200];
    if (!status) return;
    hr_error_format(err, message, sizeof message);
    fail_msg("%s", message);
}

/* ---- What is read ---- */

static void test_federation_file__reads_every_fact(void **state) {
    hr_federation_file file;
    hr_error err = {0};
    must(hr_federation_file_read(GOLDEN "federation.yaml", *state, &file, &err), &err);
    assert_string_equal(file.membership.federation, "demo");
    assert_string_equal(file.url, "tls://localhost:4222");
    assert_string_equal(file.authority, GOLDEN "ca.pem");
    assert_int_equal(file.membership.count, 3);
    assert_string_equal(file.membership.members[0].name, "coordinator");
    assert_int_equal(file.membership.members[0].key.bytes[0], 0xd7);
    assert_int_equal(file.membership.members[0].key.bytes[31], 0x1a);
    assert_int_equal(hr_membership_by_name(&file.membership, "hospital-b", 10), 2);
    assert_int_equal(hr_membership_by_key(&file.membership, file.membership.members[2].key.bytes), 2);
    const uint8_t other[HR_KEY_SIZE] = {0};
    assert_int_equal(hr_membership_by_name(&file.membership, "hospital-c", 10), HR_NO_MEMBER);
    assert_int_equal(hr_membership_by_key(&file.membership, other), HR_NO_MEMBER);
}

static void test_owner_file__reads_every_fact(void **state) {
    hr_owner_file file;
    hr_error err = {0};
    must(hr_owner_file_read(GOLDEN "owner.yaml", *state, &file, &err), &err);
    assert_string_equal(file.member.name, "hospital-a");
    assert_string_equal(file.member.federation, GOLDEN "federation.yaml");
    assert_string_equal(file.member.key, GOLDEN "hospital-a.key");
    assert_string_equal(file.member.certificate, GOLDEN "hospital-a.pem");
    assert_string_equal(file.member.certificate_key, "/etc/hedgerow/hospital-a-tls.key");
    assert_string_equal(file.data, GOLDEN "records/hospital-a.csv");
    assert_string_equal(file.schema, GOLDEN "schema.yaml");
    assert_string_equal(file.ledger, GOLDEN "hospital-a.db");
    assert_true(file.hello == 10 && file.policy.coordinators.count == 1);
    assert_true(hr_names_hold(&file.policy.coordinators, "coordinator") &&
                !hr_names_hold(&file.policy.coordinators, "mine"));
    assert_int_equal(file.policy.methods.count, 2);
    assert_true(hr_names_hold(&file.policy.methods, "diprime"));
    assert_true(file.policy.epsilon == 1.5 && file.policy.delta == 1e-6);
    assert_true(file.policy.owners == 3 && file.policy.days == 7);
    assert_int_equal(file.policy.unprotected.count, 1);
    assert_true(hr_names_hold(&file.policy.unprotected, "diprime"));
}

static void test_job_file__reads_every_fact(void **state) {
    hr_job_file file;
    hr_error err = {0};
    must(hr_job_file_read(GOLDEN "job.yaml", hr_federated_job_rules, *state, &file, &err), &err);
    assert_string_equal(file.schema, GOLDEN "schema.yaml");
    assert_string_equal(file.options.method, "inprivate");
    assert_int_equal(file.options.mode, HR_MODE_SOUND);
    assert_true(file.options.epsilon == 1 && file.options.delta == 1e-6);
    assert_int_equal(file.options.depth, 4);
    assert_int_equal(file.options.bins, 64);
    assert_int_equal(file.options.edges, HR_EDGES_PRIVATE);
    assert_int_equal(file.rounds, 2);
    assert_int_equal(file.order, HR_ORDER_BROADCAST);
    assert_true(file.round_gain == .01 && file.vote_share == .2);
    assert_true(file.deadline == 60 && file.wait_for == HR_WAIT_PRESENT);
    assert_int_equal(file.date, 1795305600);
    assert_string_equal(file.member.name, "coordinator");
    assert_string_equal(file.member.federation, GOLDEN "federation.yaml");
    assert_string_equal(file.member.key, GOLDEN "coordinator.key");
    assert_string_equal(file.member.certificate, GOLDEN "coordinator.pem");
    assert_string_equal(file.member.certificate_key, GOLDEN "coordinator-tls.key");
    assert_string_equal(file.journal, GOLDEN "coordinator.db");
    assert_true(file.owners.count == 2 && !strcmp(file.owners.items[1], "hospital-b"));
}

/* ---- What may be left out ---- */

#define JOB "hedgerow-job: 1\nschema: s.yaml\nmethod: dpboost\nepsilon: 1\n"
#define OWNER                                                                                                \
    "hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "      \
    "a.db\n"                                                                                                 \
    "policy:\n  coordinators: [m]\n  methods: [dpboost]\n  epsilon: 1\n  owners: 2\n"
#define TRANSPORT                                                                                            \
    "hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'tls://localhost:4222', authority: "      \
    "ca.pem}\n"
#define MEMBERS "members: [{name: a, key: " KEY_A "}, {name: b, key: " KEY_B "}]\n"

static void parse_job(const char *text, hr_arena *arena, hr_job_file *out) {
    hr_error err = {0};
    must(hr_job_file_parse(&(hr_file_text){"job.yaml", text, strlen(text)}, hr_federated_job_rules, arena,
                           out, &err),
         &err);
}

static void test_job_file__has_defaults(void **state) {
    hr_job_file file;
    parse_job(JOB, *state, &file);
    hr_fit_options expected;
    assert_int_equal(hr_fit_options_init(&expected, "dpboost", HR_MODE_SOUND, NULL), HR_OK);
    assert_memory_equal(&file.options, &expected, sizeof expected);
    assert_string_equal(file.schema, "s.yaml");
    assert_int_equal(file.rounds, 1);
    assert_int_equal(file.order, HR_ORDER_CHAIN);
    assert_true(file.round_gain == 0 && file.vote_share == 0);
    assert_true(file.deadline == 600 && file.date == 0 && file.wait_for == HR_WAIT_ALL);
    assert_true(!file.member.name && !file.member.certificate);
    assert_int_equal(file.owners.count, 0);
}

static void test_job_file__is_one_of_hedge_unless_it_says_more(void **state) {
    static const char text[] = "hedgerow-job: 1\nschema: s.yaml\nepsilon: 1\n";
    hr_job_file file;
    parse_job(text, *state, &file);
    assert_string_equal(file.options.method, "hedge");
    assert_true(file.options.delta == 1e-6);
}

/* Many owners' trees take smaller steps than one owner's; a step that is given stays. */
static void test_job_file__has_a_learning_rate_of_its_own_for_inprivate(void **state) {
    static const struct {
        const char *text;
        double expected;
    } cases[] = {
        {"hedgerow-job: 1\nschema: s\nmethod: inprivate\nepsilon: 1\n", .5},
        {"hedgerow-job: 1\nschema: s\nmethod: inprivate\nepsilon: 1\noptions: {learning-rate: 0.75}\n", .75},
        {"hedgerow-job: 1\nschema: s\nmethod: inprivate\nmode: paper\nepsilon: 1\n", 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hr_job_file file;
        parse_job(cases[c].text, *state, &file);
        assert_true(file.options.learning_rate == cases[c].expected);
    }
}

static void test_job_file__takes_less(void **state) {
    hr_job_file file;
    static const char voted[] = JOB "round-gain: 0.5\n";
    parse_job(voted, *state, &file);
    assert_true(file.round_gain == .5 && file.vote_share == .1);
    static const char paper[] =
        "hedgerow-job: 1\nschema: s.yaml\nmethod: dpboost\nepsilon: 2\nmode: paper\ndelta: 0\n";
    parse_job(paper, *state, &file);
    assert_int_equal(file.options.mode, HR_MODE_PAPER);
    assert_true(file.options.epsilon == 2 && file.options.delta == 0);
}

static void test_owner_file__takes_less(void **state) {
    hr_owner_file file;
    hr_error err = {0};
    must(hr_owner_file_parse(&(hr_file_text){"/x/owner.yaml", OWNER, strlen(OWNER)}, *state, &file, &err),
         &err);
    assert_string_equal(file.data, "/x/a.csv");
    assert_null(file.member.certificate);
    assert_null(file.member.certificate_key);
    assert_true(file.policy.delta == 0 && file.policy.days == 30 && !file.policy.unprotected.count);
}

/* ---- What is refused ---- */

typedef enum kind { FEDERATION_FILE, OWNER_FILE, JOB_FILE } kind;

static hr_status parse(kind what, const hr_file_text *text, hr_arena *arena, hr_error *err) {
    union {
        hr_federation_file federation;
        hr_owner_file owner;
        hr_job_file job;
        unsigned char bytes[16384];
    } file, untouched;
    assert_true(sizeof file == 16384);
    memset(&file, 0x5a, sizeof file);
    memset(&untouched, 0x5a, sizeof untouched);
    hr_status status = what == FEDERATION_FILE ? hr_federation_file_parse(text, arena, &file.federation, err)
                       : what == OWNER_FILE
                           ? hr_owner_file_parse(text, arena, &file.owner, err)
                           : hr_job_file_parse(text, hr_federated_job_rules, arena, &file.job, err);
    if (status) assert_memory_equal(&file, &untouched, sizeof file);
    return status;
}

typedef struct bad_case {
    const char *text, *message;
} bad_case;

static bool says(const char *message, const char *wanted) { /* the table may leave the remedy out */
    return !strncmp(message, wanted, strlen(wanted)) && strchr(";", message[strlen(wanted)]);
}

static void refuse(kind what, const bad_case *bad, size_t count, hr_arena *arena) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        hr_error err = {0};
        char message[1200];
        const size_t size = strlen(bad[i].text);
        hr_status status = parse(what, &(hr_file_text){"x.yaml", bad[i].text, size}, arena, &err);
        hr_error_format(&err, message, sizeof message);
        if (status != HR_E_FORMAT || err.status != status || !says(message, bad[i].message)) {
            print_error("case %zu: status %d: %s\nexpected: %s\n", i, status, message, bad[i].message);
            wrong++;
        }
        assert_int_equal(parse(what, &(hr_file_text){"x.yaml", bad[i].text, size}, arena, NULL), HR_E_FORMAT);
    }
    assert_int_equal(wrong, 0);
}

static const bad_case bad_federation[] = {
    {"", "x.yaml: the file is empty"},
    {"members", "x.yaml:1:1: a federation file must be a mapping of keys to values, not a single value"},
    {"- a\n", "x.yaml:1:1: a federation file must be a mapping of keys to values, not a list"},
    {"name: f\n",
     "x.yaml:1:1: the key 'hedgerow-federation' is missing; begin the file with 'hedgerow-federation: 1'"},
    {"hedgerow-federation: 2\n", "x.yaml:1:22: unsupported version of the format; this library reads version "
                                 "1: 'hedgerow-federation: 1'"},
    {"hedgerow-federation: \"1\"\n", "x.yaml:1:22: unsupported version of the format; this library reads "
                                     "version 1: 'hedgerow-federation: 1'"},
    {"hedgerow-owner: 1\n", "x.yaml:1:1: unknown key 'hedgerow-owner'; the keys are hedgerow-federation, "
                            "name, version, transport, members"},
    {TRANSPORT MEMBERS "name: g\n", "x.yaml:5:1: the key 'name' is given twice; remove one of the two"},
    {TRANSPORT,
     "x.yaml:1:1: the key 'members' is missing; expected: a list of members, each with a name and a key"},
    {"hedgerow-federation: 1\ntransport: {}\n" MEMBERS,
     "x.yaml:1:1: the key 'name' is missing; expected: a name of 1 to 32 of a-z, 0-9 and -, not beginning "
     "with -"},
    {"hedgerow-federation: 1\nname: f\n" MEMBERS,
     "x.yaml:1:1: the key 'transport' is missing; expected: a mapping with kind and url"},
    {"hedgerow-federation: 1\nname: F 1\ntransport: {}\n" MEMBERS,
     "x.yaml:2:7: name: 'F 1' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {"hedgerow-federation: 1\nname: abcdefghijklmnopqrstuvwxyz0123456\ntransport: {}\n" MEMBERS,
     "x.yaml:2:7: name: 'abcdefghijklmnopqrstuvwxyz0123456' is not a name of 1 to 32 of a-z, 0-9 and -, not "
     "beginning with -"},
    {"hedgerow-federation: 1\nname: -a\ntransport: {}\n" MEMBERS,
     "x.yaml:2:7: name: '-a' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {"hedgerow-federation: 1\nname: ''\ntransport: {}\n" MEMBERS, "x.yaml:2:7: name is empty"},
    {"hedgerow-federation: 1\nname: [f]\ntransport: {}\n" MEMBERS,
     "x.yaml:2:7: name must be a name of 1 to 32 of a-z, 0-9 and -, not beginning with -, not a list"},
    {"hedgerow-federation: 1\nname: f\ntransport: nats\n" MEMBERS,
     "x.yaml:3:12: transport must be a mapping of keys to values, not a single value"},
    {"hedgerow-federation: 1\nname: f\ntransport: {url: x}\n" MEMBERS,
     "x.yaml:3:12: the key 'kind' is missing; expected: nats"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: mpi, url: x, authority: a}\n" MEMBERS,
     "x.yaml:3:19: kind: 'mpi' is not nats"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats}\n" MEMBERS,
     "x.yaml:3:12: the key 'url' is missing; expected: an address such as tls://localhost:4222"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'http://x', authority: a}\n" MEMBERS,
     "x.yaml:3:30: url: 'http://x' is not of the form tls://HOST:PORT"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'tls://', authority: a}\n" MEMBERS,
     "x.yaml:3:30: url: 'tls://' is not of the form tls://HOST:PORT"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'tls://x', authority: a}\n" MEMBERS,
     "x.yaml:3:30: url: 'tls://x' is not of the form tls://HOST:PORT"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'nats://x:1', authority: a}\n" MEMBERS,
     "x.yaml:3:30: url: 'nats://x:1' is not of the form tls://HOST:PORT"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: 'tls://x:1'}\n" MEMBERS,
     "x.yaml:3:12: the key 'authority' is missing; expected: the file of the certificate authority that "
     "signed the broker's certificate"},
    {"hedgerow-federation: 1\nname: f\ntransport: {kind: nats, url: x, port: 1}\n" MEMBERS,
     "x.yaml:3:33: unknown key 'port'; the keys are kind, url, authority"},
    {TRANSPORT "members: a\n",
     "x.yaml:4:10: members must be a list of members, each with a name and a key, not a single value"},
    {TRANSPORT "members: []\n", "x.yaml:4:10: members: 0 of them; a federation has 2 to 256"},
    {TRANSPORT "members: [{name: a, key: " KEY_A "}]\n",
     "x.yaml:4:10: members: 1 of them; a federation has 2 to 256"},
    {TRANSPORT "members: [a, b]\n",
     "x.yaml:4:11: a member must be a mapping of keys to values, not a single value"},
    {TRANSPORT "members: [{name: a}, {name: b}]\n",
     "x.yaml:4:11: the key 'key' is missing; expected: the line that `hedgerow keygen` printed"},
    {TRANSPORT "members: [{key: " KEY_A "}, {name: b}]\n",
     "x.yaml:4:11: the key 'name' is missing; expected: a name of 1 to 32 of a-z, 0-9 and -, not beginning "
     "with -"},
    {TRANSPORT "members: [{name: a, key: " KEY_A "}, {name: a, key: " KEY_B "}]\n",
     "x.yaml:4:91: the name 'a' is used twice; give every member a unique name"},
    {TRANSPORT "members: [{name: a, key: " KEY_A "}, {name: b, key: " KEY_A "}]\n",
     "x.yaml:4:99: 'b' has the key of 'a'; make a new key for one of them with `hedgerow keygen`"},
    {TRANSPORT "members: [{name: a, key: hr-ed25519:AAAA}, {name: b, key: " KEY_A "}]\n",
     "x.yaml:4:26: field 'a': 'hr-ed25519:AAAA' is not a public key; paste the line that `hedgerow keygen` "
     "printed: hr-ed25519: and 44 "
     "characters"},
    {TRANSPORT "members: [{name: A, key: " KEY_A "}, {name: b, key: " KEY_B "}]\n",
     "x.yaml:4:18: name: 'A' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {TRANSPORT "members: [{name: a, name: b}, {}]\n",
     "x.yaml:4:21: the key 'name' is given twice; remove one of the two"},
    {TRANSPORT "members: &a [b]\n", "x.yaml:4:10: anchors, aliases and tags are not allowed; write the text "
                                    "out, in quotes if it begins with '*', '&' or '!'"},
    {TRANSPORT "members: [\n",
     "x.yaml:5:1: not YAML: did not find expected node content; quote texts that hold ':', '#', brackets or "
     "quotes, and indent with spaces"},
    {TRANSPORT MEMBERS "---\n", "x.yaml:5:1: there is a second document; remove what follows the '---'"},
};

static void test_federation_file__refuses_what_is_wrong(void **state) {
    refuse(FEDERATION_FILE, bad_federation, sizeof bad_federation / sizeof *bad_federation, *state);
}

static const bad_case bad_owner[] = {
    {"", "x.yaml: the file is empty"},
    {"hedgerow-owner: 1\n", "x.yaml:1:1: the key 'name' is missing; expected: a name of 1 to 32 of a-z, 0-9 "
                            "and -, not beginning with -"},
    {"hedgerow-job: 1\n", "x.yaml:1:1: unknown key 'hedgerow-job'; the keys are hedgerow-owner, name, "
                          "federation, key, certificate, certificate-key, data, query, test, test-query, "
                          "separator, quote, skip-lines, schema, ledger, models, hello, policy"},
    {"hedgerow-owner: 1.5x\n",
     "x.yaml:1:17: unsupported version of the format; this library reads version 1: 'hedgerow-owner: 1'"},
    {"name: a\n", "x.yaml:1:1: the key 'hedgerow-owner' is missing; begin the file with 'hedgerow-owner: 1'"},
    {OWNER "colour: red\n",
     "x.yaml:13:1: unknown key 'colour'; the keys are hedgerow-owner, name, federation, key, certificate, "
     "certificate-key, "
     "data, query, test, test-query, separator, quote, skip-lines, schema, ledger, models, hello, policy"},
    {OWNER "hello: 0\n", "x.yaml:13:8: hello: '0' is not an integer of seconds from 1 to 300"},
    {OWNER "key: b.key\n", "x.yaml:13:1: the key 'key' is given twice; remove one of the two"},
    {OWNER "certificate: a.pem\n",
     "x.yaml:1:1: the key 'certificate-key' is missing; 'certificate' and 'certificate-key' belong together"},
    {OWNER "certificate-key: a.pem\n",
     "x.yaml:1:1: the key 'certificate' is missing; 'certificate' and 'certificate-key' belong together"},
    {"hedgerow-owner: 1\nname: Hospital A\nfederation: f\nkey: k\ndata: d\nschema: s\nledger: l\npolicy: "
     "{}\n",
     "x.yaml:2:7: name: 'Hospital A' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {"hedgerow-owner: 1\nname: a\nkey: k\ndata: d\nschema: s\nledger: l\npolicy: {}\n",
     "x.yaml:1:1: the key 'federation' is missing; expected: a file"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\ndata: d\nschema: s\nledger: l\npolicy: {}\n",
     "x.yaml:1:1: the key 'key' is missing; expected: a file"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\nkey: k\nquery: q\nschema: s\nledger: l\npolicy: {}\n",
     "x.yaml:1:1: the key 'data' is missing; the query needs the address of its database"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\nkey: k\ndata: d\nledger: l\npolicy: {}\n",
     "x.yaml:1:1: the key 'schema' is missing; expected: a file"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\nkey: k\ndata: d\nschema: s\npolicy: {}\n",
     "x.yaml:1:1: the key 'ledger' is missing; expected: a file"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\n",
     "x.yaml:1:1: the key 'policy' is missing; expected: a mapping with coordinators, methods, epsilon and "
     "owners"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\nkey: [k]\ndata: d\nschema: s\nledger: l\npolicy: {}\n",
     "x.yaml:4:6: key must be a file, not a list"},
    {"hedgerow-owner: 1\nname: a\nfederation: f\nkey:\ndata: d\nschema: s\nledger: l\npolicy: {}\n",
     "x.yaml:4:5: key is empty"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: none\n",
     "x.yaml:8:9: policy must be a mapping of keys to values, not a single value"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: m, "
     "methods: "
     "[dpboost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:24: coordinators must be a list of 1 to 256 members such as [coordinator], not a single "
     "value"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [], "
     "methods: "
     "[dpboost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:24: coordinators: a list of 0 is not a list of 1 to 256 members such as [coordinator]"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m, "
     "m], "
     "methods: [dpboost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:28: coordinators: 'm' is listed twice; remove one of the two"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [M], "
     "methods: [dpboost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:25: coordinators: 'M' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [[m]], "
     "methods: [dpboost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:25: coordinators must be a name of 1 to 32 of a-z, 0-9 and -, not beginning with -, not a "
     "list"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {methods: [dpboost], "
     "epsilon: 1, owners: 2}\n",
     "x.yaml:8:9: the key 'coordinators' is missing; expected: a list of 1 to 256 members such as "
     "[coordinator]"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "epsilon: 1, owners: 2}\n",
     "x.yaml:8:9: the key 'methods' is missing; expected: a list of 1 to 100 methods such as [inprivate]"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], owners: 2}\n",
     "x.yaml:8:9: the key 'epsilon' is missing; expected: a number above 0, at most 10000"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1}\n",
     "x.yaml:8:9: the key 'owners' is missing; expected: an integer from 1 to 256"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [boost], epsilon: 1, owners: 2}\n",
     "x.yaml:8:39: methods: there is no method 'boost'; `hedgerow methods` lists them"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1.5x, owners: 2}\n",
     "x.yaml:8:58: epsilon: '1.5x' is not a number; write a plain number such as 0, -1.5 or 2e6, without "
     "quotes"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: '1', owners: 2}\n",
     "x.yaml:8:58: epsilon: '1' is not a number; write a plain number such as 0, -1.5 or 2e6, without "
     "quotes"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 0, owners: 2}\n",
     "x.yaml:8:58: epsilon: '0' is not a number above 0, at most 10000"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 10001, owners: 2}\n",
     "x.yaml:8:58: epsilon: '10001' is not a number above 0, at most 10000"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: .inf, owners: 2}\n",
     "x.yaml:8:58: epsilon: '.inf' is not a number; write a plain number such as 0, -1.5 or 2e6, without "
     "quotes"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1e999, owners: 2}\n",
     "x.yaml:8:58: epsilon: '1e999' is too large; write a plain number such as 0, -1.5 or 2e6, without "
     "quotes"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: [1], owners: 2}\n",
     "x.yaml:8:58: epsilon must be a number above 0, at most 10000, not a list"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, delta: -1e-9, owners: 2}\n",
     "x.yaml:8:68: delta: '-1e-9' is not a number from 0 to 0.1"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, delta: 0.2, owners: 2}\n",
     "x.yaml:8:68: delta: '0.2' is not a number from 0 to 0.1"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 0}\n",
     "x.yaml:8:69: owners: '0' is not an integer from 1 to 256"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2.5}\n",
     "x.yaml:8:69: owners: '2.5' is not an integer from 1 to 256"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 257}\n",
     "x.yaml:8:69: owners: '257' is not an integer from 1 to 256"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, days: 0}\n",
     "x.yaml:8:78: days: '0' is not an integer of days from 1 to 3650"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, days: 3651}\n",
     "x.yaml:8:78: days: '3651' is not an integer of days from 1 to 3650"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, days: 1.5}\n",
     "x.yaml:8:78: days: '1.5' is not an integer of days from 1 to 3650"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, unprotected: yes}\n",
     "x.yaml:8:85: unprotected must be a list of 1 to 100 of 'methods', such as [inprivate], not a single "
     "value"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, owners: 3}\n",
     "x.yaml:8:72: the key 'owners' is given twice; remove one of the two"},
    {"hedgerow-owner: 1\nname: a\nfederation: f.yaml\nkey: a.key\ndata: a.csv\nschema: s.yaml\nledger: "
     "a.db\npolicy: {coordinators: [m], "
     "methods: [dpboost], epsilon: 1, owners: 2, colour: red}\n",
     "x.yaml:8:72: unknown key 'colour'; the keys are coordinators, methods, epsilon, delta, owners, "
     "coalition, days, "
     "unprotected, epsilon-per, jobs-per, approve, limits"},
};

static void test_owner_file__refuses_what_is_wrong(void **state) {
    refuse(OWNER_FILE, bad_owner, sizeof bad_owner / sizeof *bad_owner, *state);
}

#define OVER_A_FEDERATION                                                                                    \
    "; a job over a federation needs the keys name, federation, key, journal and owners; a simulation "      \
    "needs none of them, and a job that is submitted only owners"
static const bad_case bad_job[] = {
    {"", "x.yaml: the file is empty"},
    {"just text", "x.yaml:1:1: a job file must be a mapping of keys to values, not a single value"},
    {"hedgerow-job: 1\n", "x.yaml:1:1: the key 'schema' is missing; expected: a file"},
    {"hedgerow-job: 3\n",
     "x.yaml:1:15: unsupported version of the format; this library reads version 1: 'hedgerow-job: 1'"},
    {"schema: s\n", "x.yaml:1:1: the key 'hedgerow-job' is missing; begin the file with 'hedgerow-job: 1'"},
    {"hedgerow-job: 1\nmethod: dpboost\nepsilon: 1\n",
     "x.yaml:1:1: the key 'schema' is missing; expected: a file"},
    {"hedgerow-job: 1\nschema: s\nmode: paper\nepsilon: 1\n",
     "x.yaml:1:1: method hedge has no paper mode; use the sound mode"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\n",
     "x.yaml:1:1: the key 'epsilon' is missing; expected: a number above 0, at most 10000"},
    {"hedgerow-job: 1\nschema: s\nmethod: hedge\nmode: paper\nepsilon: 1\n",
     "x.yaml:3:9: method hedge has no paper mode; use the sound mode"},
    {"hedgerow-job: 1\nschema: s\nmethod: gbdt\nepsilon: 1\n",
     "x.yaml:4:10: field 'epsilon': method 'gbdt' has no option 'epsilon' in sound mode; it has: trees, "
     "depth, learning-rate, lambda, bins, edges, loss, min-child-weight"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\nepsilon: 1.5x\n",
     "x.yaml:4:10: field 'epsilon': option epsilon: '1.5x' is out of range "
     "or not of its type; allowed: 0 < E <= 10000 (total privacy budget)"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\nepsilon: 0\n",
     "x.yaml:4:10: field 'epsilon': option epsilon: '0' is out of range or "
     "not of its type; allowed: 0 < E <= 10000 (total privacy budget)"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\nepsilon: {a: 1}\n",
     "x.yaml:4:10: epsilon must be a single value, not a mapping"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\nepsilon:\n", "x.yaml:4:9: epsilon is empty"},
    {JOB "epsilon: 2\n", "x.yaml:5:1: the key 'epsilon' is given twice; remove one of the two"},
    {JOB "colour: red\n",
     "x.yaml:5:1: unknown key 'colour'; the keys are hedgerow-job, schema, method, train, model, columns, "
     "mode, epsilon, delta, options, rounds, order, round-gain, vote-last, vote-share, vote-trees, "
     "coalition, "
     "coordinator-owner, records, deadline, wait-for, date, name, federation, key, certificate, "
     "certificate-key, journal, owners"},
    {JOB "mode: noisy\n", "x.yaml:5:7: mode: 'noisy' is not sound or paper"},
    {JOB "mode: [sound]\n", "x.yaml:5:7: mode must be sound or paper, not a list"},
    {JOB "delta: 0.5\n",
     "x.yaml:5:8: field 'delta': option delta: '0.5' is out of range or not of its type; "
     "allowed: 0..0.1 (0: pure epsilon; else what is added to e^epsilon times a probability)"},
    {JOB "delta: x\n", "x.yaml:5:8: field 'delta': option delta: 'x' is out of range or not of its type; "
                       "allowed: 0..0.1 (0: pure epsilon; "
                       "else what is added to e^epsilon times a probability)"},
    {"hedgerow-job: 1\nschema: s\nmethod: dpboost\nmode: paper\nepsilon: 1\ndelta: 1e-6\n",
     "x.yaml:6:8: field 'delta': method 'dpboost' has no option 'delta' in paper mode; it has: epsilon, "
     "trees, ensemble, depth, learning-rate, lambda, bins, shares, gdf, glc, glc-exponent, gradient-bound, "
     "leaf-budget"},
    {JOB "options: 4\n",
     "x.yaml:5:10: options must be a mapping of the method's options to values, not a single value"},
    {JOB "options: {depth: 4, depth: 5}\n",
     "x.yaml:5:21: the key 'depth' is given twice; remove one of the two"},
    {JOB "options: {width: 4}\n",
     "x.yaml:5:18: field 'width': method 'dpboost' has no option 'width' in sound mode; it has: epsilon, "
     "delta, trees, ensemble, depth, learning-rate, lambda, bins, edges, bin-share, shares, bounding, "
     "gradient-bound, leaf-share, count-share"},
    {JOB "options: {depth: 4.5}\n", "x.yaml:5:18: field 'depth': option depth: '4.5' is out of range or not "
                                    "of its type; allowed: 1..12 (levels of splits of a tree)"},
    {JOB "options: {depth: 99}\n", "x.yaml:5:18: field 'depth': option depth: '99' is out of range or not of "
                                   "its type; allowed: 1..12 (levels of splits of a tree)"},
    {JOB "options: {depth: [4]}\n", "x.yaml:5:18: depth must be a single value, not a list"},
    {JOB "options: {depth: ''}\n", "x.yaml:5:18: depth is empty"},
    {JOB "options: {epsilon: 9}\n",
     "x.yaml:5:11: the key 'epsilon' does not belong to options; write it as a key of the file itself"},
    {"hedgerow-job: 1\nschema: s.yaml\nmethod: inprivate\nepsilon: 1\noptions: {trees: 4}\n",
     "x.yaml:5:11: the key 'trees' does not belong to options of a job; use the key "
     "'rounds': the number of trees of every owner"},
    {JOB "options: {delta: 0.1}\n",
     "x.yaml:5:11: the key 'delta' does not belong to options; write it as a key of the file itself"},
    {JOB "rounds: 0\n", "x.yaml:5:9: rounds: '0' is not an integer from 1 to 8"},
    {JOB "rounds: 9\n", "x.yaml:5:9: rounds: '9' is not an integer from 1 to 8"},
    {JOB "rounds: 1.5\n", "x.yaml:5:9: rounds: '1.5' is not an integer from 1 to 8"},
    {JOB "rounds: two\n", "x.yaml:5:9: rounds: 'two' is not a number; write a plain number such as 0, -1.5 "
                          "or 2e6, without quotes"},
    {JOB "order: ring\n", "x.yaml:5:8: order: 'ring' is not chain or broadcast"},
    {JOB "round-gain: 0\n", "x.yaml:5:13: round-gain: '0' is not a number above 0, at most 1"},
    {JOB "round-gain: 1.5\n", "x.yaml:5:13: round-gain: '1.5' is not a number above 0, at most 1"},
    {JOB "vote-last: 4\n", "x.yaml:5:12: vote-last: '4' is not an integer from 1 to 3"},
    {JOB "vote-share: 0.1\n", "x.yaml:5:13: there are no votes without the key 'round-gain' or 'vote-last'; "
                              "remove it, or add 'round-gain' or 'vote-last'"},
    {JOB "round-gain: 0.1\nvote-share: 0.95\n",
     "x.yaml:6:13: vote-share: '0.95' is not a number from 0.01 to 0.9"},
    {JOB "date: 2026-02-29\n", "x.yaml:5:7: date: '2026-02-29' is not a day such as 2026-11-22"},
    {JOB "deadline: 0\n", "x.yaml:5:11: deadline: '0' is not an integer of seconds from 1 to 2678400"},
    {JOB "deadline: 1e9\n", "x.yaml:5:11: deadline: '1e9' is not an integer of seconds from 1 to 2678400"},
    {JOB "deadline: soon\n", "x.yaml:5:11: deadline: 'soon' is not a number; write a plain number such as 0, "
                             "-1.5 or 2e6, without quotes"},
    {JOB "wait-for: some\n", "x.yaml:5:11: wait-for: 'some' is not all or present"},
    {JOB "name: coordinator\n", "x.yaml:1:1: the key 'federation' is missing" OVER_A_FEDERATION},
    {JOB "certificate: a.pem\n", "x.yaml:1:1: the key 'name' is missing" OVER_A_FEDERATION},
    {JOB "name: m\nfederation: f\nkey: k\njournal: j\n",
     "x.yaml:1:1: the key 'owners' is missing" OVER_A_FEDERATION},
    {JOB "name: m\nfederation: f\nkey: k\nowners: [a]\n",
     "x.yaml:1:1: the key 'journal' is missing" OVER_A_FEDERATION},
    {JOB "name: m\nfederation: f\njournal: j\nowners: [a]\n",
     "x.yaml:1:1: the key 'key' is missing" OVER_A_FEDERATION},
    {JOB "name: m\nkey: k\njournal: j\nowners: [a]\n",
     "x.yaml:1:1: the key 'federation' is missing" OVER_A_FEDERATION},
    {JOB "federation: f\nkey: k\njournal: j\nowners: [a]\n",
     "x.yaml:1:1: the key 'name' is missing" OVER_A_FEDERATION},
    {JOB "name: m\nfederation: f\nkey: k\njournal: j\nowners: []\n",
     "x.yaml:9:9: owners: a list of 0 is not a list of 1 to 256 members such as [hospital-a, hospital-b], or "
     "a "
     "mapping such as {hospital-a: {records: 2000..8000}, hospital-b: {}}"},
    {JOB "name: m\nfederation: f\nkey: k\njournal: j\nowners: [a, a]\n",
     "x.yaml:9:13: owners: 'a' is listed twice; remove one of the two"},
    {JOB "name: m\nfederation: f\nkey: k\njournal: j\nowners: [a b]\n",
     "x.yaml:9:10: owners: 'a b' is not a name of 1 to 32 of a-z, 0-9 and -, not beginning with -"},
    {JOB "name: m\nfederation: f\nkey: k\njournal: j\nowners: [a]\ncertificate-key: c\n",
     "x.yaml:1:1: the key 'certificate' is missing; 'certificate' and 'certificate-key' belong together"},
};

static void test_job_file__refuses_what_is_wrong(void **state) {
    refuse(JOB_FILE, bad_job, sizeof bad_job / sizeof *bad_job, *state);
}

/* The remedy lists the methods that there are. */
static void test_job_file__refuses_a_method_that_is_none(void **state) {
    static const char text[] = "hedgerow-job: 1\nschema: s\nmethod: boost\nepsilon: 1\n";
    hr_error err = {0};
    assert_int_equal(parse(JOB_FILE, &(hr_file_text){"x.yaml", text, strlen(text)}, *state, &err),
                     HR_E_FORMAT);
    assert_string_equal(err.message, "there is no method 'boost'");
    assert_non_null(strstr(err.remedy, " inprivate "));
    assert_true(err.line == 3 && err.column == 9);
}

static void test_files__are_at_most_one_mebibyte(void **state) {
    static const char *const messages[] = {
        "x.yaml: a federation file is larger than 1 MiB; is this the right file?",
        "x.yaml: an owner file is larger than 1 MiB; is this the right file?",
        "x.yaml: a job file is larger than 1 MiB; is this the right file?"};
    const size_t size = 1024 * 1024 + 1;
    char *text = malloc(size), message[1200];
    assert_non_null(text);
    memset(text, '#', size);
    for (int what = FEDERATION_FILE; what <= JOB_FILE; what++) {
        hr_error err = {0};
        assert_int_equal(parse((kind)what, &(hr_file_text){"x.yaml", text, size}, *state, &err), HR_E_LIMIT);
        hr_error_format(&err, message, sizeof message);
        assert_string_equal(message, messages[what]);
        assert_int_equal(parse((kind)what, &(hr_file_text){"x.yaml", text, size - 1}, *state, &err),
                         HR_E_FORMAT);
    }
    free(text);
}

static void expect_read_error(hr_status status, hr_status expected, const hr_error *err,
                              const char *expected_message) {
    char message[1200];
    hr_error_format(err, message, sizeof message);
    assert_string_equal(message, expected_message);
    assert_int_equal(status, expected);
}

static void test_files__must_be_readable(void **state) {
    hr_job_file job;
    hr_owner_file owner;
    hr_federation_file federation;
    hr_error err = {0};
    expect_read_error(hr_job_file_read("absent/job.yaml", hr_federated_job_rules, *state, &job, &err),
                      HR_E_IO, &err,
                      "absent/job.yaml: cannot open the file: No such file or directory; check the path and "
                      "its permissions");
    expect_read_error(hr_owner_file_read("/", *state, &owner, &err), HR_E_IO, &err,
                      "/: cannot read the file: Is a directory; check that it is a readable file");
    expect_read_error(hr_federation_file_read("/dev/null", *state, &federation, &err), HR_E_FORMAT, &err,
                      "/dev/null: the file is empty; is it the right one? see docs/reference/formats.md");
    expect_read_error(hr_job_file_read("/dev/zero", hr_federated_job_rules, *state, &job, &err), HR_E_LIMIT,
                      &err, "/dev/zero: a job file is larger than 1 MiB; is this the right file?");
}

/* Most cuts are refused; optional keys, comments and the end of the last line may be missing. */
static void test_files__survive_being_cut(void **state) {
    static const char *const names[] = {GOLDEN "federation.yaml", GOLDEN "owner.yaml", GOLDEN "job.yaml"};
    static const size_t readable[] = {5, 9, 62};
    for (int what = FEDERATION_FILE; what <= JOB_FILE; what++) {
        hr_file_text whole;
        size_t taken = 0;
        assert_int_equal(hr_fields_load(names[what], *state, &whole, NULL), HR_OK);
        for (size_t cut = 0; cut < whole.size; cut++) {
            hr_arena *arena = hr_arena_new();
            hr_error err = {0};
            char message[1200];
            assert_non_null(arena);
            /* Exactly as large as the text, so that sanitizers see a read behind it. */
            char *copy = malloc(cut ? cut : 1);
            assert_non_null(copy);
            memcpy(copy, whole.text, cut);
            hr_status status = parse((kind)what, &(hr_file_text){"x.yaml", copy, cut}, arena, &err);
            if (status)
                assert_in_range(hr_error_format(&err, message, sizeof message), 1, sizeof message - 1);
            taken += status == HR_OK;
            free(copy);
            hr_arena_free(arena);
        }
        assert_int_equal(taken, readable[what]);
    }
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_federation_file__reads_every_fact),
        WITH_ARENA(test_owner_file__reads_every_fact),
        WITH_ARENA(test_job_file__reads_every_fact),
        WITH_ARENA(test_job_file__has_defaults),
        WITH_ARENA(test_job_file__is_one_of_hedge_unless_it_says_more),
        WITH_ARENA(test_job_file__has_a_learning_rate_of_its_own_for_inprivate),
        WITH_ARENA(test_job_file__takes_less),
        WITH_ARENA(test_owner_file__takes_less),
        WITH_ARENA(test_federation_file__refuses_what_is_wrong),
        WITH_ARENA(test_owner_file__refuses_what_is_wrong),
        WITH_ARENA(test_job_file__refuses_what_is_wrong),
        WITH_ARENA(test_job_file__refuses_a_method_that_is_none),
        WITH_ARENA(test_files__are_at_most_one_mebibyte),
        WITH_ARENA(test_files__must_be_readable),
        WITH_ARENA(test_files__survive_being_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
