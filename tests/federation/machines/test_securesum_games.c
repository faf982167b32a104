/* Games against the masks. A coalition of the coordinator and some owners tells every other owner what it
 * likes: starts, sets, questions, orders, repeats. Then linear algebra over the honest owners' answers finds
 * every combination in which the masks cancel. Each must be a plain sum, once each, of owners that were asked
 * the same question and that are as many as each of them counted on for its noise: |S| less the coalition.
 *
 * Answers are of zeros, so that an answer is its masks, and the machines and the masks are the real ones.
 * From each answer the coalition takes away the masks that it has in common with its owner, by the chain as
 * docs/reference/protocol.md describes it.
 * HR_SCHEDULES says how many games are played. */
#include "support/sum_job.h"

enum { COLUMNS = 64, ANSWERS_MAX = 64, POSITIONS_MAX = 3, GAMES = 300 };

static size_t games(void) {
    const char *text = getenv("HR_SCHEDULES");
    return text ? strtoul(text, NULL, 10) : GAMES;
}

typedef struct answer {
    size_t owner;
    uint8_t body;
    size_t counted_on; /* honest shares of noise, by the set that it was told */
    uint64_t masks[COLUMNS];
} answer;

/* What all have signed, and what the coordinator makes of it. */
typedef struct start_story {
    size_t count, members[SUM_OWNERS_MAX];
    uint8_t acceptances[SUM_OWNERS_MAX][HR_SIGNATURE_SIZE], keys[SUM_OWNERS_MAX][HR_MASK_KEY_SIZE],
        signatures[SUM_OWNERS_MAX][HR_SIGNATURE_SIZE], signature[HR_SIGNATURE_SIZE];
    hr_digest digest;
} start_story;

typedef struct game {
    const sum_names *names;
    hr_dice dice;
    size_t owners, coalition, traitors;
    bool corrupt[SUM_OWNERS_MAX];
    sum_script script;
    hr_bytes terms;
    hr_protocol *machines[SUM_OWNERS_MAX]; /* NULL: one of the coalition */
    bool over[SUM_OWNERS_MAX];
    start_story starts[SUM_OWNERS_MAX]; /* by owner, as the chain: what it was told */
    hr_digest chains[SUM_OWNERS_MAX];
    uint8_t set; /* that it was told last */
    answer answers[ANSWERS_MAX];
    size_t count;
} game;

/* ---- The owners ---- */

/* Takes away the masks that a member of the coalition has in common with an owner, if it knows the secret of
 * the key that it was listed with. */
static void remove_mask(const game *g, size_t i, size_t position, answer *a) {
    const start_story *story = &g->starts[i];
    bool pair[SUM_OWNERS_MAX] = {false};
    hr_mask_pairs *pairs = NULL;
    hr_mask *mask = NULL;
    pair[position] = pair[hr_members_position(story->members, story->count, SUM_OWNER + i)] = true;
    const hr_mask_job job = {.secret = g->names->secrets[story->members[position]],
                             .id = sum_job_id.bytes,
                             .keys = story->keys,
                             .owner_count = story->count,
                             .self = position};
    if (hr_mask_pairs_new(&job, &pairs, NULL)) return;
    if (!hr_mask_new(pairs, &(hr_mask_sum){pair, g->chains[i].bytes}, &mask, NULL))
        hr_mask_add(mask, a->masks, COLUMNS);
    hr_mask_free(mask);
    hr_mask_pairs_free(pairs);
}

static void end_work(game *g, size_t i, hr_bytes bytes) {
    const hr_event worked = {.kind = HR_EVENT_WORK_DONE, .bytes = bytes.at, .size = bytes.size};
    assert_int_equal(hr_protocol_feed(g->machines[i], &worked, NULL), HR_OK);
    free(bytes.at);
}

static void say_ready(game *g, size_t i, const hr_sum_question *q) {
    hr_bytes bytes = {0};
    assert_int_equal(hr_securesum_pack_ready(q, &bytes, NULL), HR_OK);
    end_work(g, i, bytes);
}

static void take_answer(game *g, size_t i, size_t index) {
    hr_sum_question q;
    hr_bytes bytes = {0};
    hr_mask *mask = NULL;
    assert_true(hr_securesum_question(g->machines[i], index, &q) && q.here && !q.choice);
    if (q.to_prepare) {
        say_ready(g, i, &q);
        return;
    }
    assert_true(g->count < ANSWERS_MAX);
    answer *a = &g->answers[g->count++];
    const size_t honest = q.members > g->coalition ? q.members - g->coalition : 1;
    *a = (answer){.owner = i, .body = q.body.at[0], .counted_on = honest};
    assert_int_equal(hr_securesum_mask(g->machines[i], index, &mask, NULL), HR_OK);
    hr_mask_add(mask, a->masks, COLUMNS);
    hr_mask_free(mask);
    assert_int_equal(hr_securesum_pack_share(&q, a->masks, COLUMNS, &bytes, NULL), HR_OK);
    end_work(g, i, bytes);
    for (size_t p = 0; p < g->starts[i].count; p++)
        if (g->set >> p & 1 && g->corrupt[g->starts[i].members[p] - SUM_OWNER]) remove_mask(g, i, p, a);
}

/* Does all that the machine of an honest owner wants. */
static void act(game *g, size_t i) {
    static const hr_event accepts = {.kind = HR_EVENT_DECIDED, .number = 1};
    hr_action a;
    while (hr_protocol_next(g->machines[i], &a)) {
        free(a.bytes.at);
        g->over[i] = g->over[i] || a.kind == HR_ACT_FAIL;
        if (a.kind == HR_ACT_DECIDE)
            assert_int_equal(hr_protocol_feed(g->machines[i], &accepts, NULL), HR_OK);
        if (a.kind == HR_ACT_TRAIN) take_answer(g, i, a.slot);
    }
}

static void say(game *g, size_t i, Hedgerow__Message__KindCase kind, const void *content) {
    const Hedgerow__Message m = message_of_content(kind, content);
    const hr_bytes bytes = sum_pack(&m);
    const hr_event event = {.kind = HR_EVENT_MESSAGE, .bytes = bytes.at, .size = bytes.size};
    assert_int_equal(hr_protocol_feed(g->machines[i], &event, NULL), HR_OK);
    free(bytes.at);
    act(g, i);
}

/* ---- The coalition ---- */

/* The members of the coalition may use one another's mask keys, and those of honest owners. */
static void choose_key(game *g, size_t owner, uint8_t key[HR_MASK_KEY_SIZE]) {
    size_t whose = owner;
    if (g->corrupt[owner] && !hr_dice_below(&g->dice, 3)) whose = hr_dice_below(&g->dice, g->owners);
    hr_mask_public(g->names->secrets[SUM_OWNER + whose], key);
}

static void make_start(game *g, const hr_digest *terms, const bool *listed, start_story *out) {
    out->count = 0;
    for (size_t i = 0; i < g->owners; i++) {
        if (!listed[i]) continue;
        const size_t at = out->count++;
        out->members[at] = SUM_OWNER + i;
        hr_acceptance_sign(g->names->who[SUM_OWNER + i], terms, out->acceptances[at]);
        choose_key(g, i, out->keys[at]);
        hr_mask_key_sign(g->names->who[SUM_OWNER + i], terms, out->keys[at], out->signatures[at]);
    }
    out->digest = hr_start_digest(terms, &g->names->membership, out->members, out->count);
    hr_start_sign(g->names->who[SUM_COORDINATOR], terms, &out->digest, out->signature);
}

static hr_digest digest_of_two(const char *domain, const hr_digest *before, const void *bytes, size_t size) {
    uint8_t all[HR_DIGEST_SIZE + SUM_OWNERS_MAX * HR_MASK_KEY_SIZE];
    assert_true(HR_DIGEST_SIZE + size <= sizeof all);
    memcpy(all, before->bytes, HR_DIGEST_SIZE);
    memcpy(all + HR_DIGEST_SIZE, bytes, size);
    return hr_digest_of(domain, all, HR_DIGEST_SIZE + size);
}

static void extend_chain(game *g, size_t i, const char *domain, const void *message) {
    const hr_bytes bytes = sum_pack(message);
    g->chains[i] = digest_of_two(domain, &g->chains[i], bytes.at, bytes.size);
    free(bytes.at);
}

static void tell_start(game *g, size_t i, start_story *story) {
    g->starts[i] = *story;
    g->chains[i] =
        digest_of_two("hedgerow sum chain 1", &story->digest, story->keys, story->count * HR_MASK_KEY_SIZE);
    ProtobufCBinaryData names[SUM_OWNERS_MAX], acceptances[SUM_OWNERS_MAX], keys[SUM_OWNERS_MAX],
        signatures[SUM_OWNERS_MAX];
    Hedgerow__Start start = HEDGEROW__START__INIT;
    for (size_t at = 0; at < story->count; at++) {
        names[at] = hr_text_of(g->names->members[story->members[at]].name);
        acceptances[at] = hr_data_of(story->acceptances[at], HR_SIGNATURE_SIZE);
        keys[at] = hr_data_of(story->keys[at], HR_MASK_KEY_SIZE);
        signatures[at] = hr_data_of(story->signatures[at], HR_SIGNATURE_SIZE);
    }
    start.owners = names;
    start.acceptances = acceptances;
    start.mask_keys = keys;
    start.mask_signatures = signatures;
    start.n_owners = start.n_acceptances = start.n_mask_keys = start.n_mask_signatures = story->count;
    start.signature = hr_data_of(story->signature, HR_SIGNATURE_SIZE);
    say(g, i, HEDGEROW__MESSAGE__KIND_START, &start);
}

/* Up to two starts: of all, and of any owners that take in those who are told it. */
static void tell_starts(game *g) {
    ProtobufCMessage *terms = NULL;
    hr_digest digest;
    bool all[SUM_OWNERS_MAX], some[SUM_OWNERS_MAX];
    start_story whole, part;
    const hr_protocol_setup setup = sum_setup(g->names, SUM_COORDINATOR, g->terms);
    assert_int_equal(
        hr_message_unpack(&hedgerow__terms__descriptor, g->terms.at, g->terms.size, &terms, NULL), HR_OK);
    assert_int_equal(hr_terms_digest(&setup, (Hedgerow__Terms *)terms, &digest, NULL), HR_OK);
    for (size_t i = 0; i < g->owners; i++) {
        all[i] = true;
        some[i] = hr_dice_below(&g->dice, 4) > 0;
    }
    make_start(g, &digest, all, &whole);
    make_start(g, &digest, some, &part);
    const bool forks = !hr_dice_below(&g->dice, 8);
    for (size_t i = 0; i < g->owners; i++) {
        if (!g->machines[i]) continue;
        say(g, i, HEDGEROW__MESSAGE__KIND_TERMS, terms);
        tell_start(g, i, forks && some[i] && hr_dice_below(&g->dice, 2) ? &part : &whole);
    }
    hr_message_unpacked_free(terms);
}

typedef struct ask_story {
    uint8_t set, body;
    bool prepared;
} ask_story;

static ask_story invent(game *g) {
    static const uint64_t few[] = {60, 100, 100};
    const uint64_t share = few[hr_dice_below(&g->dice, 3)];
    ask_story story = {.body = (uint8_t)(1 + hr_dice_below(&g->dice, 2)),
                       .prepared = !hr_dice_below(&g->dice, 2)};
    for (size_t i = 0; i < g->owners; i++)
        story.set |= (uint8_t)((hr_dice_below(&g->dice, 100) < share) << i);
    return story;
}

static uint8_t set_for(const game *g, size_t i, ask_story story) {
    const size_t *members, owners = hr_securesum_owners(g->machines[i], &members);
    return (uint8_t)(story.set & ((1 << owners) - 1));
}

static void tell_members(game *g, size_t i, uint32_t position, ask_story story) {
    const uint8_t set = set_for(g, i, story);
    Hedgerow__Members members = HEDGEROW__MEMBERS__INIT;
    members.position = position;
    members.members = hr_data_of(&set, 1);
    extend_chain(g, i, "hedgerow sum members 1", &members);
    g->set = set;
    say(g, i, HEDGEROW__MESSAGE__KIND_MEMBERS, &members);
}

/* A sum that is prepared has its owners at once, later, or twice: the second time others. */
static void tell_ask(game *g, size_t i, uint32_t position, ask_story story) {
    const uint8_t set = set_for(g, i, story);
    Hedgerow__Ask ask = HEDGEROW__ASK__INIT;
    ask.position = position;
    if (!story.prepared) ask.members = hr_data_of(&set, 1);
    ask.body = hr_data_of(&story.body, 1);
    extend_chain(g, i, "hedgerow sum chain 1", &ask);
    g->set = set;
    say(g, i, HEDGEROW__MESSAGE__KIND_ASK, &ask);
    if (!story.prepared || g->over[i]) return;
    tell_members(g, i, position, story);
    if (!hr_dice_below(&g->dice, 20) && !g->over[i]) tell_members(g, i, position, invent(g));
}

/* One position: up to three stories; now and then one again, out of order, or of the position before. */
static void tell_position(game *g, uint32_t position) {
    ask_story stories[3];
    const uint64_t variants = (const uint64_t[]){1, 1, 2, 3}[hr_dice_below(&g->dice, 4)];
    for (size_t v = 0; v < variants; v++) stories[v] = invent(g);
    for (size_t i = 0; i < g->owners; i++) {
        if (!g->machines[i] || g->over[i]) continue;
        const ask_story story = stories[hr_dice_below(&g->dice, variants)];
        const uint64_t trick = hr_dice_below(&g->dice, 40);
        tell_ask(g, i, trick == 0 ? position + 1 : position, story);
        if (trick == 1 && !g->over[i]) tell_ask(g, i, position, story);
        if (trick == 2 && !g->over[i]) tell_ask(g, i, position, stories[0]);
    }
}

static void play(game *g) {
    for (size_t left = g->traitors; left;) {
        const size_t i = hr_dice_below(&g->dice, g->owners);
        left -= !g->corrupt[i];
        g->corrupt[i] = true;
    }
    g->script = (sum_script){.owners = g->owners, .coalition = (uint32_t)g->coalition};
    g->terms = sum_terms(&g->script);
    for (size_t i = 0; i < g->owners; i++) {
        const hr_protocol_setup setup = sum_setup(g->names, SUM_OWNER + i, g->terms);
        if (!g->corrupt[i]) g->machines[i] = sum_machine(&setup);
    }
    tell_starts(g);
    const uint32_t positions = 1 + (uint32_t)hr_dice_below(&g->dice, POSITIONS_MAX);
    for (uint32_t p = 0; p < positions; p++) tell_position(g, p);
}

static void end_game(game *g) {
    for (size_t i = 0; i < g->owners; i++) hr_protocol_free(g->machines[i]);
    free(g->terms.at);
}

/* ---- What it learns ---- */

/* A combination of answers modulo 2^64, and what is left of their masks. */
typedef struct combination {
    uint64_t of[ANSWERS_MAX], masks[COLUMNS];
    size_t pivot; /* a column where it is odd */
} combination;

static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) x *= 2 - odd * x;
    return x;
}

static void add_times(combination *to, const combination *from, uint64_t factor) {
    for (size_t i = 0; i < ANSWERS_MAX; i++) to->of[i] += factor * from->of[i];
    for (size_t c = 0; c < COLUMNS; c++) to->masks[c] += factor * from->masks[c];
}

/* What is wrong with a combination that has no masks left; NULL: nothing. */
static const char *judge(const game *g, const combination *k) {
    bool seen[SUM_OWNERS_MAX] = {false};
    uint64_t factor = 0, body = 0;
    size_t parts = 0, wanted = 0;
    for (size_t i = 0; i < g->count; i++) {
        const answer *a = &g->answers[i];
        if (!k->of[i]) continue;
        if (parts && (k->of[i] != factor || a->body != body)) return "a weighted sum, or of two questions";
        if (seen[a->owner]) return "an owner twice";
        seen[a->owner] = true;
        factor = k->of[i];
        body = a->body;
        parts++;
        wanted = a->counted_on > wanted ? a->counted_on : wanted;
    }
    return parts < wanted ? "too few shares of noise" : NULL;
}

/* Goes through the answers, each less those before it as far as that removes its masks. */
static const char *what_is_learnt(const game *g, size_t *sums) {
    static combination basis[ANSWERS_MAX];
    const char *wrong = NULL;
    size_t size = 0;
    *sums = 0;
    for (size_t i = 0; i < g->count && !wrong; i++) {
        combination *k = &basis[size];
        *k = (combination){.of = {0}};
        k->of[i] = 1;
        memcpy(k->masks, g->answers[i].masks, sizeof k->masks);
        for (size_t b = 0; b < size; b++)
            add_times(k, &basis[b], -k->masks[basis[b].pivot] * inverse(basis[b].masks[basis[b].pivot]));
        uint64_t any = 0;
        for (size_t c = 0; c < COLUMNS; c++) any |= k->masks[c];
        for (k->pivot = 0; k->pivot < COLUMNS && !(k->masks[k->pivot] & 1);) k->pivot++;
        if (k->pivot < COLUMNS) {
            size++;
            continue;
        }
        ++*sums;
        wrong = any ? "a multiple of a sum" : judge(g, k);
    }
    return wrong;
}

/* Plays games of that many more traitors than the job allows. Returns how many the coalition wins. */
static size_t wins(const sum_names *names, size_t beyond, size_t count, size_t *sums, const char **how) {
    size_t won = 0;
    for (size_t n = 0; n < count; n++) {
        game g = {.names = names};
        hr_dice_init(&g.dice, n);
        g.owners = 2 + hr_dice_below(&g.dice, SUM_OWNERS_MAX - 1);
        g.coalition = 1 + hr_dice_below(&g.dice, g.owners - 1);
        g.traitors = g.coalition + beyond < g.owners ? g.coalition + beyond : g.owners - 1;
        play(&g);
        size_t opened;
        const char *wrong = what_is_learnt(&g, &opened);
        *sums += opened;
        won += wrong != NULL;
        if (wrong) *how = wrong;
        end_game(&g);
    }
    return won;
}

static void test_securesum_games__open_nothing_but_whole_sums(void **state) {
    size_t sums = 0;
    const char *how = "";
    const size_t count = games();
    if (wins(*state, 0, count, &sums, &how)) fail_msg("the coalition has learnt %s", how);
    assert_true(sums > count / 2); /* the games are not empty */
}

/* What shows that the games see what a coalition can do. */
static void test_securesum_games__are_won_by_one_more_than_allowed(void **state) {
    size_t sums = 0;
    const char *how = "";
    assert_true(wins(*state, 1, games(), &sums, &how) > games() / 20);
    assert_string_equal(how, "too few shares of noise");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SUM_NAMES(test_securesum_games__open_nothing_but_whole_sums),
        WITH_SUM_NAMES(test_securesum_games__are_won_by_one_more_than_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
