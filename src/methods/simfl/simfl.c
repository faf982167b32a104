/* SimFL, all of whose owners are in this process (Li, Wen, He: Practical Federated Gradient Boosting Decision
 * Trees. AAAI 2020), to measure what it gains over the methods that the paper compares it with: tfl, where
 * owners add trees to each other's without knowing what is similar; solo, one owner alone; and all-in, all
 * records in one place. What an owner does stands in simfl_owner.h. */
#include "base/fail.h"
#include "methods/simfl/simfl_owner.h"
#include "tables/bins/sparse_bins.h"
#include "tables/data/sparse.h"
#include "trees/similar/lsh.h"
#include "trees/similar/similar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct simfl {
    hr_training *training;
    size_t count;
    hr_data **data; /* of each owner */
    uint32_t *rows;
    hr_simfl_owner **owners;
    hr_noisy *gradients, *weights; /* room for one message */
} simfl;

static double simfl_option(const simfl *s, hr_option option) {
    return s->training->options->by_name[option];
}

/* ---- Algorithm 1: the preprocessing stage ---- */

static hr_status hash_records(const simfl *s, const hr_lsh *lsh, hr_hashes *of, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t m = 0; !status && m < s->count; m++) {
        int16_t *at = malloc((size_t)s->rows[m] * hr_lsh_tables(lsh) * sizeof *at);
        of[m] = (hr_hashes){at, s->rows[m], hr_lsh_tables(lsh)};
        status = at ? hr_lsh_hash(lsh, s->data[m], s->training->threads, at, err) : hr_fail_memory(err);
    }
    return status;
}

static hr_status match_owner(const simfl *s, size_t m, const uint8_t *coins, const hr_hashes *of,
                             hr_error *err) {
    uint32_t *similar = malloc(s->rows[m] * sizeof *similar);
    hr_status status = similar ? HR_OK : hr_fail_memory(err);
    for (size_t j = 0; !status && j < s->count; j++) {
        if (j == m) continue;
        status =
            hr_similar(&of[m], &of[j], hr_similar_coins(coins, m, j), s->training->threads, similar, err);
        if (!status) status = hr_simfl_owner_match(s->owners[m], j, similar, err);
    }
    free(similar);
    return status;
}

static hr_status match_by_hashes(const simfl *s, const hr_lsh *lsh, const uint8_t *coins, hr_error *err) {
    hr_hashes *of = calloc(s->count, sizeof *of);
    hr_status status = of ? hash_records(s, lsh, of, err) : hr_fail_memory(err);
    for (size_t m = 0; !status && m < s->count; m++) status = match_owner(s, m, coins, of, err);
    for (size_t m = 0; of && m < s->count; m++) free((int16_t *)of[m].at);
    free(of);
    return status;
}

static hr_status match_similar(const simfl *s, hr_error *err) {
    uint8_t coins[HR_LSH_COINS];
    hr_lsh *lsh = NULL;
    hr_csprng_bytes(hr_gate_csprng(s->training->gate), coins, sizeof coins);
    hr_lsh_setup setup = {.schema = hr_data_schema(s->training->data),
                          .width = simfl_option(s, HR_OPTION_LSH_WIDTH),
                          .tables = (size_t)simfl_option(s, HR_OPTION_LSH_TABLES),
                          .range = simfl_option(s, HR_OPTION_LSH_RANGE),
                          .coins = coins};
    hr_status status = hr_lsh_new(&setup, &lsh, err);
    if (!status) status = match_by_hashes(s, lsh, coins, err);
    hr_lsh_free(lsh);
    return status;
}

/* ---- Algorithm 2: the training stage ---- */

/* Lines 1 to 8, and 9 to 18: every other owner sends owner m the gradients of its records, added up where
 * they are similar. */
static hr_status send_gradients(const simfl *s, size_t m, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < s->count; i++) {
        if (i == m) continue;
        status = hr_simfl_owner_gradients(s->owners[i], m, s->gradients, s->weights, err);
        if (!status) status = hr_simfl_owner_receive(s->owners[m], i, s->gradients, s->weights, err);
    }
    return status;
}

/* Line 21, and the last. */
static hr_status train_and_send_tree(const simfl *s, size_t m, hr_error *err) {
    hr_forest *forest = &s->training->forest;
    hr_tree *tree = &forest->trees[forest->tree_count];
    hr_status status = hr_simfl_owner_train(s->owners[m], tree, err);
    for (size_t i = 0; !status && i < s->count; i++)
        if (i != m) status = hr_simfl_owner_add(s->owners[i], tree, err);
    if (!status) forest->tree_count++;
    return status;
}

/* ---- Records divided among owners ---- */

typedef struct division {
    const hr_data *data;
    size_t owners;
    uint32_t *order;    /* all rows, shuffled */
    uint32_t *owner_of; /* of each row */
    uint32_t *rows;     /* room for those of one owner */
} division;

static void shuffle_rows(const division *d, hr_csprng *csprng) {
    size_t count = hr_data_rows(d->data);
    for (size_t i = 0; i < count; i++) {
        size_t j = hr_uniform(csprng, i + 1);
        d->order[i] = d->order[j];
        d->order[j] = (uint32_t)i;
    }
}

/* Owners take turns. */
static void deal_evenly(const division *d) {
    for (size_t k = 0; k < hr_data_rows(d->data); k++) d->owner_of[d->order[k]] = (uint32_t)(k % d->owners);
}

/* The first quota[class] records of a class go to the first half, the others to the second; in each half
 * owners take turns. */
static void deal_by_class(const division *d, double theta) {
    const double *labels = hr_data_labels(d->data);
    size_t rows = hr_data_rows(d->data), in_class[2] = {0}, dealt_of_class[2] = {0}, dealt[2] = {0};
    for (size_t i = 0; i < rows; i++) in_class[labels[i] > 0]++;
    const double quota[2] = {rint(theta * (double)in_class[0]), rint((1 - theta) * (double)in_class[1])};
    const size_t first[2] = {0, (d->owners + 1) / 2}, owners[2] = {(d->owners + 1) / 2, d->owners / 2};
    for (size_t k = 0; k < rows; k++) {
        uint32_t row = d->order[k];
        size_t class_of = labels[row] > 0;
        size_t half = (double)dealt_of_class[class_of]++ < quota[class_of] ? 0 : 1;
        d->owner_of[row] = (uint32_t)(first[half] + dealt[half]++ % owners[half]);
    }
}

static hr_status take_rows(const division *d, size_t owner, hr_data **out, hr_error *err) {
    size_t count = 0;
    for (uint32_t i = 0; i < hr_data_rows(d->data); i++)
        if (d->owner_of[i] == owner) d->rows[count++] = i;
    if (!count)
        return hr_fail(err, HR_E_ARGUMENT, "use fewer owners, or a theta nearer to 0.5",
                       "owner %zu of %zu would have no record", owner + 1, d->owners);
    *out = hr_data_take(d->data, d->rows, count);
    return *out ? HR_OK : hr_fail_memory(err);
}

static hr_status deal_rows(const division *d, double theta, hr_csprng *csprng, hr_data **out, hr_error *err) {
    hr_status status = HR_OK;
    shuffle_rows(d, csprng);
    if (theta > 0)
        deal_by_class(d, theta);
    else
        deal_evenly(d);
    memset(out, 0, d->owners * sizeof *out);
    for (size_t i = 0; !status && i < d->owners; i++) status = take_rows(d, i, &out[i], err);
    for (size_t i = 0; status && i < d->owners; i++) hr_data_free(out[i]);
    return status;
}

hr_status hr_simfl_split(const hr_data *data, size_t owners, double theta, hr_csprng *csprng, hr_data **out,
                         hr_error *err) {
    size_t room = hr_data_rows(data) + 1;
    division d = {data, owners, malloc(room * sizeof *d.order), malloc(room * sizeof *d.owner_of),
                  malloc(room * sizeof *d.rows)};
    hr_status status =
        d.order && d.owner_of && d.rows ? deal_rows(&d, theta, csprng, out, err) : hr_fail_memory(err);
    free(d.order);
    free(d.owner_of);
    free(d.rows);
    return status;
}

/* ---- Owners ---- */

static void close_simfl(simfl *s) {
    for (size_t m = 0; m < s->count; m++) {
        if (s->owners) hr_simfl_owner_free(s->owners[m]);
        if (s->data) hr_data_free(s->data[m]);
    }
    free(s->owners);
    free(s->data);
    free(s->rows);
    free(s->gradients);
    free(s->weights);
}

static hr_status divide_records(simfl *s, hr_error *err) {
    size_t count = (size_t)simfl_option(s, HR_OPTION_OWNERS), rows = s->training->source->capacity;
    s->data = calloc(count, sizeof *s->data);
    s->rows = calloc(count, sizeof *s->rows);
    s->owners = calloc(count, sizeof(hr_simfl_owner *));
    s->gradients = malloc((rows + 1) * sizeof *s->gradients);
    s->weights = malloc((rows + 1) * sizeof *s->weights);
    if (!s->data || !s->rows || !s->owners || !s->gradients || !s->weights) return hr_fail_memory(err);
    hr_status status = hr_simfl_split(s->training->data, count, simfl_option(s, HR_OPTION_THETA),
                                      hr_gate_csprng(s->training->gate), s->data, err);
    if (!status) s->count = count;
    return status;
}

/* Each owner's label sums are added to `total`. */
static hr_status make_owner(simfl *s, size_t m, const hr_simfl_permits *permits, uint64_t total[2],
                            hr_error *err) {
    const hr_training *t = s->training;
    hr_noisy sums[2];
    hr_simfl_setup setup = {s->data[m], t->options, t->gate,  *permits,
                            t->arena,   s->rows,    s->count, t->threads};
    hr_status status = hr_simfl_owner_new(&setup, &s->owners[m], err);
    if (!status) status = hr_simfl_owner_label_sums(s->owners[m], sums, err);
    for (size_t k = 0; !status && k < 2; k++) total[k] += (uint64_t)sums[k].paid;
    return status;
}

static hr_status start_owners(simfl *s, const hr_simfl_permits *permits, hr_error *err) {
    uint64_t total[2] = {0};
    hr_noisy sums[2];
    hr_training *t = s->training;
    const hr_task task = hr_schema_task(hr_data_schema(t->data));
    hr_status status =
        hr_training_forest_init(t, hr_boosting_link(t->options, task), (size_t)t->options->trees, err);
    for (size_t m = 0; m < s->count; m++) s->rows[m] = (uint32_t)hr_data_rows(s->data[m]);
    for (size_t m = 0; !status && m < s->count; m++) status = make_owner(s, m, permits, total, err);
    for (size_t k = 0; k < 2; k++) sums[k] = hr_noisy_of_answers(total[k]);
    for (size_t m = 0; !status && m < s->count; m++)
        status = hr_simfl_owner_set_base(s->owners[m], sums, t->forest.base, err);
    return status;
}

/* ---- The methods ---- */

/* Owners train trees in their order. before: what happens before owner m trains; NULL: nothing. */
static hr_status train_in_turn(const simfl *s, hr_status (*before)(const simfl *s, size_t m, hr_error *err),
                               hr_error *err) {
    const hr_simfl_order order = hr_simfl_order_of(s->training->options);
    hr_status status = HR_OK;
    for (size_t t = 0; !status && t < order.trees; t++) {
        size_t m = hr_simfl_owner_of_tree(&order, s->rows, s->count, t);
        if (before) status = before(s, m, err);
        if (!status) status = train_and_send_tree(s, m, err);
        if (!status) status = hr_training_progress(s->training, t + 1, order.trees, err);
    }
    return status;
}

static hr_status train_simfl(hr_training *training, hr_error *err) {
    simfl s = {.training = training};
    hr_simfl_permits permits;
    hr_status status = hr_simfl_charge(training->gate, &permits, err);
    if (!status) status = divide_records(&s, err);
    if (!status) status = start_owners(&s, &permits, err);
    if (!status) status = match_similar(&s, err);
    if (!status) status = train_in_turn(&s, send_gradients, err);
    close_simfl(&s);
    return status;
}

static hr_status train_tfl(hr_training *training, hr_error *err) {
    simfl s = {.training = training};
    hr_simfl_permits permits = {0};
    hr_status status = hr_exact_boosting_charge(training->gate, HR_EDGES_EXACT, &permits.boosting, err);
    if (!status) status = divide_records(&s, err);
    if (!status) status = start_owners(&s, &permits, err);
    if (!status) status = train_in_turn(&s, NULL, err);
    close_simfl(&s);
    return status;
}

static hr_status train_solo(hr_training *training, hr_error *err) {
    simfl s = {.training = training};
    hr_simfl_permits permits = {0};
    hr_status status = hr_exact_boosting_charge(training->gate, HR_EDGES_EXACT, &permits.boosting, err);
    if (!status) status = divide_records(&s, err);
    if (!status) {
        size_t owner = (size_t)simfl_option(&s, HR_OPTION_OWNER) - 1;
        for (size_t m = 0; m < s.count; m++)
            if (m != owner) hr_data_free(s.data[m]);
        s.data[0] = s.data[owner];
        s.count = 1;
        status = start_owners(&s, &permits, err);
    }
    if (!status) status = train_in_turn(&s, NULL, err);
    close_simfl(&s);
    return status;
}

static hr_status train_all_in(hr_training *training, hr_error *err) {
    return hr_method_gbdt.train(training, err);
}

/* ---- What can be refused ---- */

static hr_status check_simfl(const hr_fit_facts *facts, hr_error *err) {
    const double *by_name = facts->options->by_name;
    size_t owners = (size_t)by_name[HR_OPTION_OWNERS];
    bool number = facts->schema && hr_schema_task(facts->schema) == HR_TASK_REGRESSION;
    hr_status status = HR_OK;
    if (hr_facts_outputs(facts) > 1)
        status = hr_fail(err, HR_E_ARGUMENT, "use gbdt, or one class against the others",
                         "%s supports labels that are numbers or two classes; this label has %zu classes",
                         facts->options->method, hr_facts_outputs(facts));
    else if (owners > facts->rows)
        status = hr_fail(err, HR_E_ARGUMENT, "use fewer owners",
                         "%zu records cannot be divided among %zu owners", facts->rows, owners);
    else if (by_name[HR_OPTION_THETA] > 0 && number)
        status = hr_fail(err, HR_E_ARGUMENT, "leave theta at 0, or use a label of two classes",
                         "theta divides records by their class; this label is a number");
    else if (by_name[HR_OPTION_THETA] > 0 && owners < 2)
        status = hr_fail(err, HR_E_ARGUMENT, "use at least 2 owners, or leave theta at 0",
                         "theta divides records among owners; there is only 1 owner");
    return status;
}

static hr_status check_solo(const hr_fit_facts *facts, hr_error *err) {
    const double *by_name = facts->options->by_name;
    hr_status status = check_simfl(facts, err);
    if (status || by_name[HR_OPTION_OWNER] <= by_name[HR_OPTION_OWNERS]) return status;
    return hr_fail(err, HR_E_ARGUMENT, "owners are numbered from 1", "there is no owner %.0f of %.0f owners",
                   by_name[HR_OPTION_OWNER], by_name[HR_OPTION_OWNERS]);
}

/* Beside what its owners take: copies of their records and their bins, messages, and hashes. */
static double simfl_memory(const hr_fit_facts *facts) {
    const double a_record = 9 * sizeof(double) + HR_LSH_TABLES_MAX * sizeof(int16_t),
                 a_cell = facts->cells ? HR_SPARSE_CELL + HR_SPARSE_BIN : sizeof(double) + 2,
                 cells = facts->cells ? (double)facts->cells : hr_facts_table(facts);
    return (double)facts->rows * a_record + cells * a_cell;
}

/* ---- Rows of the table ---- */

static void simfl_defaults(hr_fit_options *o) {
    o->trees = 500;
    o->depth = 8;
    o->bins = 255;
    o->learning_rate = .1;
    o->lambda = 1;
    o->loss = HR_LOSS_LOGISTIC;
    o->edges = HR_EDGES_EXACT;
    o->by_name[HR_OPTION_MIN_CHILD_WEIGHT] = 1;
    o->by_name[HR_OPTION_OWNERS] = 2;
    o->by_name[HR_OPTION_OWNER] = 1;
    o->by_name[HR_OPTION_LSH_WIDTH] = 4;
    o->by_name[HR_OPTION_LSH_RANGE] = 1;
}

#define TREE_OPTIONS "trees", "depth", "learning-rate", "lambda", "bins", "loss", "min-child-weight", "gamma"
static const char *const simfl_options[] = {TREE_OPTIONS, "owners",     "order",     "theta",
                                            "lsh-width",  "lsh-tables", "lsh-range", NULL};
static const char *const tfl_options[] = {TREE_OPTIONS, "owners", "order", "theta", NULL};
static const char *const solo_options[] = {TREE_OPTIONS, "owners", "owner", "theta", NULL};
static const char *const all_in_options[] = {TREE_OPTIONS, NULL};

#define PAPER "Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020"

const hr_method hr_method_simfl = {
    .info = {.name = "simfl",
             .summary = "owners boost in turn on gradients of similar records, without privacy",
             .paper = PAPER ", sections 4.1 and 4.2",
             .is_private = false,
             .sound = "",
             .flaws =
                 "It has no privacy at all. The hashes of every record, which all owners see, tell within "
                 "narrow bounds where it lies, and are unlike those of most other records, so that a "
                 "record can be recognised. The sums of gradients are often of a single record or of "
                 "records of one class: the first tree's told the labels of 56 to 70 % of the records of "
                 "the tables that were tried, and later ones tell in which leaves a record is. Splits, "
                 "leaves and bin edges are exact statistics of the records. The paper only shows that "
                 "other real numbers could have had the same hashes."},
    .defaults = simfl_defaults,
    .sound_options = simfl_options,
    .paper_options = simfl_options,
    .check = check_simfl,
    .memory = simfl_memory,
    .train = train_simfl,
};

const hr_method hr_method_tfl = {
    .info = {.name = "tfl",
             .summary = "owners boost in turn on their own records alone, without privacy",
             .paper = PAPER ", section 6; after Zhao et al.: InPrivate Digging. INFOCOM 2018",
             .is_private = false,
             .sound = "",
             .flaws = "It has no privacy at all: splits, leaves and bin edges are exact statistics of the "
                      "records of one owner each."},
    .defaults = simfl_defaults,
    .sound_options = tfl_options,
    .paper_options = tfl_options,
    .check = check_simfl,
    .memory = simfl_memory,
    .train = train_tfl,
};

const hr_method hr_method_solo = {
    .info = {.name = "solo",
             .summary = "gradient boosting by one owner alone, on its part of the records, without privacy",
             .paper = PAPER ", section 6",
             .is_private = false,
             .sound = "",
             .flaws = "It has no privacy at all: splits, leaves and bin edges are exact statistics of the "
                      "records of the owner."},
    .defaults = simfl_defaults,
    .sound_options = solo_options,
    .paper_options = solo_options,
    .check = check_solo,
    .memory = simfl_memory,
    .train = train_solo,
};

const hr_method hr_method_all_in = {
    .info =
        {.name = "all-in",
         .summary = "gbdt on all records, with the defaults of simfl, without privacy",
         .paper = PAPER ", section 6",
         .is_private = false,
         .sound = "",
         .flaws =
             "It has no privacy at all: splits, leaves and bin edges are exact statistics of the records."},
    .defaults = simfl_defaults,
    .sound_options = all_in_options,
    .paper_options = all_in_options,
    .check = hr_facts_check_classes,
    .train = train_all_in,
};
