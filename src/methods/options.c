/* The options of all methods: one table from which they are parsed, checked, listed and written into models.
 */
#include "base/fail.h"
#include "base/text/number.h"
#include "methods/method.h"
#include "tables/schema/column_list.h"
#include "trees/similar/lsh.h"
#include "trees/tree/interactions.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { OWNERS_MAX = 1000 };

typedef enum type { INTEGER, REAL, CHOICE, TEXT } type;

typedef struct option {
    const char *name;
    type type;
    size_t offset;
    double min, max;
    bool above_min; /* REAL: the least value itself is not allowed */
    const char *const *choices;
    const char *range, *help;
} option;

static const char *const losses[] = {"square", "logistic", NULL};
static const char *const boundings[] = {"clip", "filter", NULL};
static const char *const share_rules[] = {"equal", "geometric", NULL};
static const char *const edge_rules[] = {"public", "private", "exact", NULL};
static const char *const leaf_budgets[] = {"intended", "literal", NULL};
static const char *const switches[] = {"off", "on", NULL};
static const char *const glc_exponents[] = {"place", "iteration", NULL};
static const char *const split_budgets[] = {"algorithm", "text", NULL};
static const char *const orders[] = {"turns", "blocks", NULL};
static const char *const groupings[] = {"nothing", "label", NULL};
static const char *const truths[] = {"false", "true", NULL};

#define AT(field) offsetof(hr_fit_options, field)
#define BY_NAME(option) (AT(by_name) + HR_OPTION_##option * sizeof(double))
_Static_assert((int)HR_COLUMN_LIST_TEXT == (int)HR_COLUMNS_TEXT &&
                   (int)HR_COLUMNS_TEXT <= (int)HR_INTERACTIONS_TEXT,
               "a list of columns, and room to check it");
_Static_assert((int)HR_OPTIONS_BY_NAME <= (int)HR_BY_NAME_OPTIONS, "no room for options of single methods");

static const option options_table[] = {
    {"epsilon", REAL, AT(epsilon), 0, 1e4, true, NULL, "0 < E <= 10000", "total privacy budget"},
    {"delta", REAL, AT(delta), 0, .1, false, NULL, "0..0.1",
     "0: pure epsilon; else what is added to e^epsilon times a probability"},
    {"trees", INTEGER, AT(trees), 1, 100000, false, NULL, "1..100000", "number of trees (rounds)"},
    {"depth", INTEGER, AT(depth), 1, HR_TREE_DEPTH_MAX, false, NULL, "1..12", "levels of splits of a tree"},
    {"learning-rate", REAL, AT(learning_rate), 0, 1, true, NULL, "0 < X <= 1",
     "shrinkage of the leaf values (eta)"},
    {"lambda", REAL, AT(lambda), 0, 1e6, false, NULL, "0..1e6", "regularisation of gains and leaves"},
    {"bins", INTEGER, AT(bins), 2, 255, false, NULL, "2..255",
     "bins of a numeric feature, missing values apart"},
    {"loss", CHOICE, AT(loss), 0, 0, false, losses, "square|logistic",
     "loss of classes; numbers always have square loss"},
    {HR_INTERACTIONS_NAME, TEXT, AT(interactions), 0, 0, false, NULL, "all|pairs|none|LISTS",
     "features that a tree may split by: any; at most two; one; or those of one list, as in [[A, B], [C, D, "
     "E]]"},
    {HR_GROUP_NAME, TEXT, AT(group), 0, 0, false, NULL, "FEATURE",
     "a category, each of whose values has a curve of its own"},
    {HR_COLUMNS_NAME, TEXT, AT(columns), 0, 0, false, NULL, "NAMES",
     "columns whose statistics are released, such as age, dose"},
    {HR_BY_NAME, CHOICE, AT(by_label), 0, 0, false, groupings, "nothing|label",
     "statistics of all records, or also of each class of the label"},
    {"min-child-weight", REAL, BY_NAME(MIN_CHILD_WEIGHT), 0, 1e9, false, NULL, "0..1e9",
     "minimum hessian of a leaf (forests, square loss: records)"},
    {"gamma", REAL, BY_NAME(GAMMA), 0, 1e9, false, NULL, "0..1e9",
     "what a split must gain (equation 3), of classes 0 and 1, or of numbers scaled to -1..1"},
    {"max-features", INTEGER, BY_NAME(MAX_FEATURES), 0, 10000, false, NULL, "0..10000",
     "candidate features of a node (K); 0: root of their number"},
    {"part", CHOICE, BY_NAME(PART), 0, 0, false, truths, "false|true", "divide the records among the trees"},
    {"ensemble", INTEGER, BY_NAME(ENSEMBLE), 1, 10000, false, NULL, "1..10000",
     "trees of one ensemble, which divides the records (T_e)"},
    {"shares", CHOICE, BY_NAME(SHARES), 0, 0, false, share_rules, "equal|geometric",
     "how records are divided among the trees"},
    {"bounding", CHOICE, BY_NAME(BOUNDING), 0, 0, false, boundings, "clip|filter",
     "clip gradients to g*, or drop their records (GDF)"},
    {"gradient-bound", REAL, AT(gradient_bound), 0, 2, true, NULL, "0 < X <= 2",
     "g*, labels being mapped to [-1, 1]"},
    {"edges", CHOICE, AT(edges), 0, 0, false, edge_rules, "public|private",
     "bins from public bounds, or private quantiles"},
    {"bin-share", REAL, AT(bin_share), 0, .9, true, NULL, "0 < X <= 0.9",
     "part of the budget for private bin edges"},
    {"leaf-share", REAL, AT(leaf_share), .01, .99, false, NULL, "0.01..0.99",
     "part of a tree's budget for its leaves"},
    {"count-share", REAL, AT(count_share), .01, .99, false, NULL, "0.01..0.99",
     "part of the leaves' budget for their counts"},
    {"leaf-budget", CHOICE, BY_NAME(LEAF_BUDGET), 0, 0, false, leaf_budgets, "intended|literal",
     "noise of the leaves: eps_leaf, or eps_nleaf as line 14 of Algorithm 1 says"},
    {"gdf", CHOICE, BY_NAME(GDF), 0, 0, false, switches, "off|on",
     "leave out records whose gradient is beyond g*; off: g* is the largest gradient of all records"},
    {"glc", CHOICE, BY_NAME(GLC), 0, 0, false, switches, "off|on",
     "clip leaf values to g* (1 - eta)^k, and lower their noise by it"},
    {"glc-exponent", CHOICE, BY_NAME(GLC_EXPONENT), 0, 0, false, glc_exponents, "place|iteration",
     "k: how many trees of the ensemble, or of the model, come before (Corollary 2: t - 1)"},
    {"split-budget", CHOICE, BY_NAME(SPLIT_BUDGET), 0, 0, false, split_budgets, "algorithm|text",
     "of a split: as the paper's algorithm, or as its text"},
    {"round-gain", REAL, BY_NAME(ROUND_GAIN), 0, 1, false, NULL, "0..1",
     "stop when a round improves the accuracy by no more than this (numbers: the mean absolute error); 0: "
     "train "
     "all rounds"},
    {"vote-trees", CHOICE, BY_NAME(VOTE_TREES), 0, 0, false, truths, "false|true",
     "leave out a tree that lowers the accuracy"},
    {"owners", INTEGER, BY_NAME(OWNERS), 1, OWNERS_MAX, false, NULL, "1..1000",
     "owners among whom the records are divided"},
    {"owner", INTEGER, BY_NAME(OWNER), 1, OWNERS_MAX, false, NULL, "1..1000", "the owner that trains, alone"},
    {"order", CHOICE, BY_NAME(ORDER), 0, 0, false, orders, "turns|blocks",
     "owners take turns tree by tree, or each trains its part of the trees before the next"},
    {"theta", REAL, BY_NAME(THETA), 0, .99, false, NULL, "0..0.99",
     "0: divide evenly; else the part of the first class that the first half of the owners has"},
    {"lsh-width", REAL, BY_NAME(LSH_WIDTH), 0, 1e6, true, NULL, "0 < X <= 1e6", "width r of a hash"},
    {"lsh-tables", INTEGER, BY_NAME(LSH_TABLES), 0, HR_LSH_TABLES_MAX, false, NULL, "0..255",
     "hashes of a record (L); 0: one less than its dimensions, at most 40"},
    {"lsh-range", REAL, BY_NAME(LSH_RANGE), 0, 1e6, true, NULL, "0 < X <= 1e6",
     "features are scaled to -X .. X before they are hashed"},
    {"skew", INTEGER, BY_NAME(SKEW), 0, 10000, false, NULL, "0..10000",
     "what theta divides: 0: the classes; else the lower and upper bins of this feature, from 1"},
    {"weight-max", INTEGER, BY_NAME(WEIGHT_MAX), 1, 1000, false, NULL, "1..1000",
     "largest weight of a record; the least is one over it; 1: no weights"},
    {"weight-share", REAL, BY_NAME(WEIGHT_SHARE), 0, .9, true, NULL, "0 < X <= 0.9",
     "part of the budget for the counts that weights follow from"},
    {"conformal", REAL, AT(conformal), 0, .999, false, NULL, "0..0.999",
     "of quantiles: hold a fifth of the records out, and correct the interval that is to cover this part of "
     "the labels by them; 0: do not"},
};
enum { COUNT = sizeof options_table / sizeof *options_table };

/* ---- Options that are texts ---- */

static hr_status write_group(const char *given, char *out, hr_error *err) {
    const size_t size = strlen(given);
    if (size >= HR_GROUP_TEXT)
        return hr_fail(err, HR_E_ARGUMENT, "name a feature of the schema", "the name of a group is too long");
    memmove(out, given, size + 1);
    return HR_OK;
}

static hr_status write_columns(const char *given, char *out, hr_error *err) {
    hr_status status = hr_column_list_write(given, out, err);
    return status ? hr_fail_at(err, status, NULL, 0, 0, HR_COLUMNS_NAME) : HR_OK;
}

typedef struct text_rule {
    const char *name;
    size_t room;         /* bytes, with the NUL */
    const char *without; /* what an empty one is called */
    /* Writes what is given, and not empty, into the room, which may be the same. Fails: ARGUMENT, MEMORY. */
    hr_status (*write)(const char *given, char *out, hr_error *err);
} text_rule;

static const text_rule text_rules[] = {
    {HR_INTERACTIONS_NAME, HR_INTERACTIONS_TEXT, "all", hr_interactions_write},
    {HR_GROUP_NAME, HR_GROUP_TEXT, "none", write_group},
    {HR_COLUMNS_NAME, HR_COLUMNS_TEXT, "all", write_columns}};

static const text_rule *text_rule_of(const option *o) {
    const text_rule *rule = text_rules;
    while (strcmp(rule->name, o->name) != 0) rule++;
    return rule;
}

/* ---- The table ---- */

/* Without a method and a mode there are no defaults. */
static const hr_sized fit_options = {sizeof(hr_fit_options), AT(epsilon), "call hr_fit_options_init first"};

static const option *find_option_named(const char *name) {
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(options_table[i].name, name)) return &options_table[i];
    return NULL;
}

/* The option as the method bounds it. */
static option option_of_method(const option *o, const hr_method *method) {
    option of_method = *o;
    for (const hr_bound *b = method->bounds; b && b->name; b++) {
        if (strcmp(b->name, o->name) != 0) continue;
        of_method.min = b->min;
        of_method.max = b->max;
        of_method.range = b->range;
        if (b->help) of_method.help = b->help;
    }
    return of_method;
}

static void *field(hr_fit_options *options, const option *o) {
    return (char *)options + o->offset;
}

/* Whether it is kept as a double, whatever its type. */
static bool is_double(const option *o) {
    return o->type == REAL ||
           (o->offset >= AT(by_name) && o->offset < AT(by_name) + sizeof((hr_fit_options *)NULL)->by_name);
}

static size_t option_field_size(const option *o) {
    if (o->type == TEXT) return text_rule_of(o)->room;
    return is_double(o) ? sizeof(double) : o->type == INTEGER ? sizeof(int64_t) : sizeof(int);
}

static double option_value_of(const hr_fit_options *options, const option *o) {
    const void *at = (const char *)options + o->offset;
    if (is_double(o)) return *(const double *)at;
    return o->type == INTEGER ? (double)*(const int64_t *)at : (double)*(const int *)at;
}

static void set_value_option(hr_fit_options *options, const option *o, double value) {
    void *at = field(options, o);
    if (is_double(o))
        *(double *)at = value;
    else if (o->type == INTEGER)
        *(int64_t *)at = (int64_t)value;
    else
        *(int *)at = (int)value;
}

static const char *const *names_of(const hr_method *method, hr_mode mode) {
    return mode == HR_MODE_SOUND ? method->sound_options : method->paper_options;
}

static bool takes(const hr_method *method, hr_mode mode, const char *name) {
    const char *const *names = names_of(method, mode);
    for (; names && *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

/* The choices whose names stand in the range: "exact" bin edges are what paper modes have, not an option. */
static bool is_choice(const option *o, double value) {
    int count = 0;
    while (o->choices[count]) count++;
    return value >= 0 && value < count && strstr(o->range, o->choices[(int)value]);
}

static bool in_range(const option *o, double value) {
    if (o->type != REAL && value != floor(value)) return false;
    if (o->type == CHOICE) return is_choice(o, value);
    return value <= o->max && (o->above_min ? value > o->min : value >= o->min);
}

static hr_status refuse_option_value(const option *o, const char *value, hr_error *err) {
    char remedy[160];
    snprintf(remedy, sizeof remedy, "allowed: %s (%s)", o->range, o->help);
    hr_status status = *value
                           ? hr_fail(err, HR_E_ARGUMENT, remedy,
                                     "option %s: '%.60s' is out of range or not of its type", o->name, value)
                           : hr_fail(err, HR_E_ARGUMENT, remedy, "option %s is empty", o->name);
    return hr_fail_at(err, status, NULL, 0, 0, o->name);
}

/* The names that a method takes in a mode, as "it has: a, b, c". */
static void list_names(const hr_method *method, hr_mode mode, char *text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "it has:");
    const char *before = " ";
    for (const char *const *name = names_of(method, mode); name && *name && at < size; name++, before = ", ")
        at += (size_t)snprintf(text + at, size - at, "%s%s", before, *name);
}

static bool parse_choice(const option *o, const char *text, double *out) {
    for (int i = 0; o->choices[i]; i++)
        if (!strcmp(o->choices[i], text) && is_choice(o, i)) {
            *out = i;
            return true;
        }
    return false;
}

static bool parse_number_option(const option *o, const char *text, double *out) {
    return hr_number_parse(text, strlen(text), out) == HR_NUMBER_OK && in_range(o, *out);
}

static hr_status refuse_option_name(const hr_method *method, hr_mode mode, const char *name, hr_error *err) {
    char list[360];
    list_names(method, mode, list, sizeof list);
    hr_status status = hr_fail(err, HR_E_ARGUMENT, list, "method '%s' has no option '%.60s' in %s mode",
                               method->info.name, name, mode == HR_MODE_SOUND ? "sound" : "paper");
    return hr_fail_at(err, status, NULL, 0, 0, name);
}

static hr_status refuse_unknown_method(const char *name, hr_error *err) {
    char list[200] = "it is one of:";
    for (size_t i = 0, at = strlen(list); i < hr_method_count() && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, " %s", hr_method_at(i)->name);
    return hr_fail(err, HR_E_ARGUMENT, list, "there is no method '%.60s'", name ? name : "");
}

hr_status hr_fit_options_set(hr_fit_options *options, const char *name, const char *value, hr_error *err) {
    hr_status status = hr_sized_check(&fit_options, options, err);
    if (status) return status;
    const hr_method *method = hr_method_named(options->method);
    if (!method) return refuse_unknown_method(options->method, err);
    const option *known = find_option_named(name);
    if (!known || !takes(method, options->mode, name))
        return refuse_option_name(method, options->mode, name, err);
    if (known->offset + option_field_size(known) > options->size)
        return hr_fail(err, HR_E_ARGUMENT, "build the program with the headers of this library",
                       "the options were made by an older header, which has no option '%s'", name);
    const option o = option_of_method(known, method);
    if (o.type == TEXT && *value) return text_rule_of(&o)->write(value, field(options, &o), err);
    if (o.type == TEXT) return refuse_option_value(&o, value, err);
    double number = 0;
    if (!(o.type == CHOICE ? parse_choice(&o, value, &number) : parse_number_option(&o, value, &number)))
        return refuse_option_value(&o, value, err);
    set_value_option(options, &o, number);
    return HR_OK;
}

static void render_option_value(const hr_fit_options *options, const option *o, char text[HR_NUMBER_TEXT]) {
    if (o->type == TEXT) {
        snprintf(text, HR_NUMBER_TEXT, "%s", text_rule_of(o)->without);
        return;
    }
    double value = option_value_of(options, o);
    if (o->type == CHOICE)
        snprintf(text, HR_NUMBER_TEXT, "%s", o->choices[(int)value]);
    else
        hr_number_text(value, text);
}

static hr_status check_text(const hr_fit_options *options, const option *o, hr_error *err) {
    const text_rule *rule = text_rule_of(o);
    char text[HR_INTERACTIONS_TEXT];
    memcpy(text, (const char *)options + o->offset, rule->room);
    text[rule->room - 1] = '\0';
    return *text ? rule->write(text, text, err) : HR_OK;
}

hr_status hr_options_check(const hr_method *method, const hr_fit_options *options, hr_error *err) {
    for (const char *const *name = names_of(method, options->mode); name && *name; name++) {
        const option o = option_of_method(find_option_named(*name), method);
        if (o.type == TEXT) {
            hr_status status = check_text(options, &o, err);
            if (status) return status;
            continue;
        }
        if (in_range(&o, option_value_of(options, &o))) continue;
        char text[40];
        snprintf(text, sizeof text, "%g", option_value_of(options, &o));
        return refuse_option_value(&o, text, err);
    }
    return HR_OK;
}

void hr_options_each(const hr_method *method, const hr_fit_options *options,
                     void (*visit)(void *user, const char *name, const char *value), void *user) {
    for (const char *const *name = names_of(method, options->mode); name && *name; name++) {
        const option *o = find_option_named(*name);
        char text[HR_NUMBER_TEXT];
        if (o->offset == AT(conformal) && option_value_of(options, o) == 0) continue;
        const char *given = (const char *)options + o->offset;
        if (o->type != TEXT) {
            render_option_value(options, o, text);
            visit(user, *name, text);
        } else if (*given) {
            visit(user, *name, given);
        }
    }
}

hr_status hr_fit_options_init_sized(hr_fit_options *options, size_t size, const char *name, hr_mode mode,
                                    hr_error *err) {
    const hr_method *method = hr_method_named(name ? name : hr_default_method());
    if (!method) return refuse_unknown_method(name, err);
    if (size < fit_options.min)
        return hr_fail(err, HR_E_ARGUMENT, "give sizeof(hr_fit_options)", "%zu bytes are no options", size);
    if (mode != HR_MODE_SOUND && mode != HR_MODE_PAPER)
        return hr_fail(err, HR_E_ARGUMENT, "it is HR_MODE_SOUND or HR_MODE_PAPER", "there is no mode %d",
                       (int)mode);
    if (!names_of(method, mode))
        return hr_fail(err, HR_E_ARGUMENT, "use the sound mode", "method %s has no paper mode",
                       method->info.name);
    hr_fit_options made = {
        .method = method->info.name, .mode = mode, .epsilon = 1, .gradient_bound = 1, .bounds_share = .05};
    method->defaults(&made);
    made.size = size < sizeof made ? size : sizeof made;
    memcpy(options, &made, made.size);
    return HR_OK;
}

hr_status hr_options_taken(const hr_fit_options *options, hr_fit_options *out, hr_error *err) {
    hr_fit_options made, initial;
    hr_status status = hr_sized_check(&fit_options, options, err);
    if (status) return status;
    if (!options->method) return refuse_unknown_method(NULL, err);
    status = hr_fit_options_init(&initial, options->method, options->mode, err);
    made = initial;
    if (!status) status = hr_sized_take(&fit_options, options, &made, err);
    if (status) return status;
    for (size_t i = 0; i < COUNT; i++) {
        const option *o = &options_table[i];
        if (takes(hr_method_named(options->method), options->mode, o->name)) continue;
        if (o->type == TEXT)
            *(char *)field(&made, o) = '\0';
        else
            set_value_option(&made, o, option_value_of(&initial, o));
    }
    *out = made;
    return HR_OK;
}

/* The default of one option in one mode, as text; "" if the mode does not take it. */
static void default_text(const hr_method *method, hr_mode mode, const option *o, char text[HR_NUMBER_TEXT]) {
    hr_fit_options options;
    text[0] = '\0';
    if (!takes(method, mode, o->name) || hr_fit_options_init(&options, method->info.name, mode, NULL)) return;
    render_option_value(&options, o, text);
}

bool hr_method_option(const hr_method_info *info, size_t index, hr_option_info *out) {
    const hr_method *method = hr_method_named(info->name);
    for (size_t i = 0; i < COUNT; i++) {
        const option *o = &options_table[i];
        if (!takes(method, HR_MODE_SOUND, o->name) && !takes(method, HR_MODE_PAPER, o->name)) continue;
        if (index--) continue;
        const option of_method = option_of_method(o, method);
        *out = (hr_option_info){.name = o->name, .range = of_method.range, .help = of_method.help};
        default_text(method, HR_MODE_SOUND, o, out->sound);
        default_text(method, HR_MODE_PAPER, o, out->paper);
        return true;
    }
    return false;
}
