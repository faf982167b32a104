/* What hr_method_option lists is what options do: defaults, ranges (every bound, and the value just beyond
 * it) and words, for every option of every method and mode, by name and by field. */
#include "support/tables.h"

typedef enum value_kind { WHOLE, REAL, WORD } value_kind;

#define BY_NAME(option) offsetof(hr_fit_options, by_name) + HR_OPTION_##option * sizeof(double)

/* Where each option lives: written down here a second time, so that a wrong line of the library's table
 * shows. */
static const struct place {
    const char *name;
    value_kind kind;
    size_t offset;
} places[] = {
    {"epsilon", REAL, offsetof(hr_fit_options, epsilon)},
    {"delta", REAL, offsetof(hr_fit_options, delta)},
    {"trees", WHOLE, offsetof(hr_fit_options, trees)},
    {"depth", WHOLE, offsetof(hr_fit_options, depth)},
    {"bins", WHOLE, offsetof(hr_fit_options, bins)},
    {"learning-rate", REAL, offsetof(hr_fit_options, learning_rate)},
    {"lambda", REAL, offsetof(hr_fit_options, lambda)},
    {"loss", WORD, offsetof(hr_fit_options, loss)},
    {"min-child-weight", REAL, BY_NAME(MIN_CHILD_WEIGHT)},
    {"gamma", REAL, BY_NAME(GAMMA)},
    {"max-features", WHOLE, BY_NAME(MAX_FEATURES)},
    {"part", WORD, BY_NAME(PART)},
    {"ensemble", WHOLE, BY_NAME(ENSEMBLE)},
    {"shares", WORD, BY_NAME(SHARES)},
    {"bounding", WORD, BY_NAME(BOUNDING)},
    {"edges", WORD, offsetof(hr_fit_options, edges)},
    {"leaf-budget", WORD, BY_NAME(LEAF_BUDGET)},
    {"gdf", WORD, BY_NAME(GDF)},
    {"glc", WORD, BY_NAME(GLC)},
    {"glc-exponent", WORD, BY_NAME(GLC_EXPONENT)},
    {"split-budget", WORD, BY_NAME(SPLIT_BUDGET)},
    {"round-gain", REAL, BY_NAME(ROUND_GAIN)},
    {"conformal", REAL, offsetof(hr_fit_options, conformal)},
    {"vote-trees", WORD, BY_NAME(VOTE_TREES)},
    {"owners", WHOLE, BY_NAME(OWNERS)},
    {"owner", WHOLE, BY_NAME(OWNER)},
    {"order", WORD, BY_NAME(ORDER)},
    {"theta", REAL, BY_NAME(THETA)},
    {"lsh-width", REAL, BY_NAME(LSH_WIDTH)},
    {"lsh-tables", WHOLE, BY_NAME(LSH_TABLES)},
    {"lsh-range", REAL, BY_NAME(LSH_RANGE)},
    {"gradient-bound", REAL, offsetof(hr_fit_options, gradient_bound)},
    {"bin-share", REAL, offsetof(hr_fit_options, bin_share)},
    {"leaf-share", REAL, offsetof(hr_fit_options, leaf_share)},
    {"count-share", REAL, offsetof(hr_fit_options, count_share)},
    {"owners", WHOLE, BY_NAME(OWNERS)},
    {"theta", REAL, BY_NAME(THETA)},
    {"by", WORD, offsetof(hr_fit_options, by_label)},
    {"skew", WHOLE, BY_NAME(SKEW)},
    {"lsh-width", REAL, BY_NAME(LSH_WIDTH)},
    {"lsh-tables", WHOLE, BY_NAME(LSH_TABLES)},
    {"weight-max", WHOLE, BY_NAME(WEIGHT_MAX)},
    {"weight-share", REAL, BY_NAME(WEIGHT_SHARE)},
};

static const struct place *place_of(const char *name) {
    for (size_t i = 0; i < COUNT(places); i++)
        if (strcmp(places[i].name, name) == 0) return &places[i];
    fail_msg("the test does not know the option '%s'", name);
    return NULL;
}

static bool is_by_name(const struct place *at) {
    return at->offset >= offsetof(hr_fit_options, by_name) && at->offset < offsetof(hr_fit_options, threads);
}

static double get(const hr_fit_options *options, const struct place *at) {
    const char *field = (const char *)options + at->offset;
    if (at->kind == REAL || is_by_name(at)) return *(const double *)(const void *)field;
    if (at->kind == WHOLE) return (double)*(const int64_t *)(const void *)field;
    return *(const int *)(const void *)field;
}

static void put(hr_fit_options *options, const struct place *at, double value) {
    char *field = (char *)options + at->offset;
    if (at->kind == REAL || is_by_name(at))
        *(double *)(void *)field = value;
    else if (at->kind == WHOLE)
        *(int64_t *)(void *)field = (int64_t)value;
    else
        *(int *)(void *)field = (int)value;
}

/* "1..10000", "0 < X <= 1". */
typedef struct limits {
    double low, high;
    bool low_excluded;
} limits;

static limits limits_of(const char *range) {
    limits l = {0, 0, false};
    const char *dots = strstr(range, "..");
    char name;
    if (dots) return (limits){strtod(range, NULL), strtod(dots + 2, NULL), false};
    l.low_excluded = true;
    if (sscanf(range, "%lf < %c <= %lf", &l.low, &name, &l.high) != 3)
        fail_msg("cannot read the range '%s'", range);
    return l;
}

static double just_above(const struct place *at, double x) {
    return at->kind == WHOLE ? x + 1 : nextafter(x, INFINITY);
}

static double just_below(const struct place *at, double x) {
    return at->kind == WHOLE ? x - 1 : nextafter(x, -INFINITY);
}

static const char *text_of(double value) {
    static char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    return text;
}

/* The options that are no number and no word: tests/trees/tree/test_interactions.c,
 * tests/methods/survival/test_survival_curve.c, tests/tables/schema/test_column_list.c. */
static bool is_a_text(const hr_option_info *option) {
    return strcmp(option->name, "interactions") == 0 || strcmp(option->name, "group") == 0 ||
           strcmp(option->name, "columns") == 0;
}

/* Calls check(method, mode, option) for every other option that a mode takes. */
static size_t each_option(void (*check)(const hr_method_info *method, hr_mode mode,
                                        const hr_option_info *option)) {
    size_t seen = 0;
    for (size_t m = 0; m < hr_method_count(); m++) {
        hr_option_info option;
        for (size_t k = 0; hr_method_option(hr_method_at(m), k, &option); k++)
            for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
                if ((mode == HR_MODE_SOUND ? option.sound : option.paper)[0] && !is_a_text(&option))
                    check(hr_method_at(m), (hr_mode)mode, &option), seen++;
    }
    assert_true(seen > 60);
    return seen;
}

static void assert_refused(hr_fit_options *options, const hr_option_info *option, const char *value) {
    hr_fit_options before = *options;
    hr_error err = {0};
    hr_status status = hr_fit_options_set(options, option->name, value, &err);
    if (status != HR_E_ARGUMENT)
        fail_msg("%s %s = '%s': status %d", options->method, option->name, value, status);
    assert_int_equal(err.status, HR_E_ARGUMENT);
    assert_string_equal(err.field, option->name);
    if (!strstr(err.remedy, option->range) && !strstr(err.message, option->range))
        fail_msg("%s: '%s; %s' does not say %s", option->name, err.message, err.remedy, option->range);
    assert_memory_equal(options, &before, sizeof before);
}

static void assert_taken(hr_fit_options *options, const hr_option_info *option, double value) {
    hr_error err = {0};
    if (hr_fit_options_set(options, option->name, text_of(value), &err) != HR_OK)
        fail_msg("%s %s = %s: %s", options->method, option->name, text_of(value), err.message);
    assert_true(get(options, place_of(option->name)) == value);
}

static void check_default(const hr_method_info *method, hr_mode mode, const hr_option_info *option) {
    hr_fit_options set = options_of(method->name, mode), initial = set;
    const char *listed = mode == HR_MODE_SOUND ? option->sound : option->paper;
    const struct place *at = place_of(option->name);
    assert_true(option->help[0] != '\0');
    put(&set, at, at->kind == WORD ? 1 - get(&set, at) : get(&set, at) / 2);
    assert_int_equal(hr_fit_options_set(&set, option->name, listed, NULL), HR_OK);
    assert_true(get(&set, at) == get(&initial, at));
    assert_true(set.mode == mode && set.size == sizeof set && strcmp(set.method, method->name) == 0);
}

static void test_options__have_the_defaults_that_are_listed(void **state) {
    (void)state;
    each_option(check_default);
}

static void check_bounds(const hr_method_info *method, hr_mode mode, const hr_option_info *option) {
    const struct place *at = place_of(option->name);
    hr_fit_options options = options_of(method->name, mode);
    if (at->kind == WORD) return;
    limits l = limits_of(option->range);
    assert_taken(&options, option, l.high);
    assert_refused(&options, option, text_of(just_above(at, l.high)));
    if (l.low_excluded) {
        assert_refused(&options, option, text_of(l.low));
        assert_taken(&options, option, just_above(at, l.low) < 1e-300 ? 1e-9 : just_above(at, l.low));
    } else {
        assert_taken(&options, option, l.low);
        assert_refused(&options, option, text_of(just_below(at, l.low)));
    }
}

static void test_options__end_at_their_bounds(void **state) {
    (void)state;
    each_option(check_bounds);
}

static void check_words(const hr_method_info *method, hr_mode mode, const hr_option_info *option) {
    if (place_of(option->name)->kind != WORD) return;
    hr_fit_options options = options_of(method->name, mode);
    char words[64], *next = words;
    snprintf(words, sizeof words, "%s", option->range);
    int count = 0;
    for (char *word = words; word; word = next, count++) {
        next = strchr(word, '|');
        if (next) *next++ = '\0';
        assert_int_equal(hr_fit_options_set(&options, option->name, word, NULL), HR_OK);
        assert_true(get(&options, place_of(option->name)) ==
                    (strcmp(word, "exact") ? count : (int)HR_EDGES_EXACT));
    }
    assert_int_equal(count, 2);
    static const char *const bad[] = {"exact", "", "Equal", "square|logistic", "0", "clip "};
    for (size_t i = strstr(option->range, "exact") != NULL; i < COUNT(bad); i++)
        assert_refused(&options, option, bad[i]);
}

static void test_options__take_their_words(void **state) {
    (void)state;
    each_option(check_words);
}

static void check_texts(const hr_method_info *method, hr_mode mode, const hr_option_info *option) {
    const struct place *at = place_of(option->name);
    hr_fit_options options = options_of(method->name, mode);
    static const char *const bad[] = {
        "",    " ",    " 5",       "5 ",  "0x10", "0x1p0", "nan",     "NaN",
        "inf", "-inf", "infinity", "5,0", "five", "5x",    "--",      "1e9999",
        "1e+", "5\n",  "5;",       "-1",  "1_0",  "1'000", "5 0",     ".",
        "e3",  "-",    "+",        "1e",  "1e1x", "0b10",  "0.5.0.5", "99999999999999999999999"};
    if (at->kind == WORD) return;
    for (size_t i = 0; i < COUNT(bad); i++) assert_refused(&options, option, bad[i]);
    static const char *const fractions[] = {"1.5", "5.25", "1e-1", "2.000001"};
    for (size_t i = 0; at->kind == WHOLE && i < COUNT(fractions); i++)
        assert_refused(&options, option, fractions[i]);
}

static void test_options__are_parsed_strictly(void **state) {
    (void)state;
    each_option(check_texts);
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    assert_int_equal(hr_fit_options_set(&options, "epsilon", "1e3", NULL), HR_OK);
    assert_true(options.epsilon == 1000);
    assert_int_equal(hr_fit_options_set(&options, "epsilon", "0.1", NULL), HR_OK);
    assert_true(options.epsilon == .1);
    assert_int_equal(hr_fit_options_set(&options, "epsilon", "1e-400", NULL),
                     HR_E_ARGUMENT); /* 0 as a double */
    assert_int_equal(hr_fit_options_set(&options, "trees", "100000", NULL), HR_OK);
    assert_int_equal(hr_fit_options_set(&options, "trees", "1e3", NULL),
                     HR_OK); /* an integer, however it is written */
    assert_true(options.trees == 1000);
}

static void test_options__without_a_method_are_those_of_the_default(void **state) {
    (void)state;
    hr_fit_options options, named = options_of(hr_default_method(), HR_MODE_SOUND);
    assert_int_equal(hr_fit_options_init(&options, NULL, HR_MODE_SOUND, NULL), HR_OK);
    options.threads = named.threads;
    assert_memory_equal(&options, &named, sizeof named);
    assert_string_equal(options.method, "hedge");
    assert_true(options.delta == 1e-6);
    assert_true(options_of("dpboost", HR_MODE_SOUND).delta == 0);
    hr_error err = {0};
    assert_int_equal(hr_fit_options_init(&options, NULL, HR_MODE_PAPER, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "hedge"));
}

static bool has_paper_mode(const char *method) {
    hr_fit_options options;
    return hr_fit_options_init(&options, method, HR_MODE_PAPER, NULL) == HR_OK;
}

static void test_options__that_a_mode_lacks_tell_which_it_takes(void **state) {
    (void)state;
    for (size_t m = 0; m < hr_method_count(); m++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++)
            for (size_t i = 0; i < COUNT(places); i++) {
                const hr_method_info *method = hr_method_at(m);
                hr_option_info option = {0};
                bool takes = false;
                if (mode == HR_MODE_PAPER && !has_paper_mode(method->name)) continue;
                for (size_t k = 0; !takes && hr_method_option(method, k, &option); k++)
                    takes = strcmp(option.name, places[i].name) == 0 &&
                            (mode == HR_MODE_SOUND ? option.sound : option.paper)[0];
                if (takes) continue;
                hr_fit_options options = options_of(method->name, (hr_mode)mode), before = options;
                hr_error err = {0};
                assert_int_equal(hr_fit_options_set(&options, places[i].name, "1", &err), HR_E_ARGUMENT);
                assert_string_equal(err.field, places[i].name);
                assert_non_null(strstr(err.remedy, hr_method_option(method, 0, &option) ? option.name : "?"));
                assert_memory_equal(&options, &before, sizeof before);
            }
}

static void test_options__of_unknown_names_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",     "tree",     "TREES",  "learning_rate", "threads",
                                      "seed", "epsilon ", "method", "trees=5"};
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND), before = options;
    for (size_t i = 0; i < COUNT(bad); i++) {
        hr_error err = {0};
        assert_int_equal(hr_fit_options_set(&options, bad[i], "5", &err), HR_E_ARGUMENT);
        assert_non_null(strstr(err.remedy, "ensemble"));
        assert_memory_equal(&options, &before, sizeof before);
    }
}

static void test_methods__of_unknown_names_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"", "dpboos", "DPBOOST", "dpboost ", "gbdt\n"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        hr_fit_options options, before;
        memset(&options, 7, sizeof options);
        before = options;
        hr_error err = {0};
        assert_int_equal(hr_fit_options_init(&options, bad[i], HR_MODE_SOUND, &err), HR_E_ARGUMENT);
        for (size_t m = 0; m < hr_method_count(); m++)
            assert_non_null(strstr(err.remedy, hr_method_at(m)->name));
        assert_memory_equal(&options, &before, sizeof before);
        assert_null(hr_method_find(bad[i]));
    }
    assert_null(hr_method_at(hr_method_count()));
}

static bool has_no_privacy(const char *method) {
    static const char *const names[] = {"gbdt", "rf", "ert", "median", "simfl", "tfl", "solo", "all-in"};
    bool found = false;
    for (size_t i = 0; i < COUNT(names); i++) found = found || strcmp(names[i], method) == 0;
    return found;
}

static void test_methods__tell_what_they_prove_and_what_they_do_not(void **state) {
    (void)state;
    assert_true(hr_method_count() >= 9);
    for (size_t m = 0; m < hr_method_count(); m++) {
        const hr_method_info *info = hr_method_at(m);
        assert_ptr_equal(hr_method_find(info->name), info);
        assert_true(info->summary[0] && info->paper[0]);
        assert_true(info->is_private != has_no_privacy(info->name));
        assert_true((info->flaws[0] != '\0') == (has_paper_mode(info->name) || has_no_privacy(info->name)));
        if (info->is_private)
            assert_non_null(strstr(info->sound, "dpboost") ? info->sound : strstr(info->sound, "e^epsilon"));
    }
}

/* ---- Fields that are set past hr_fit_options_set ---- */

static table small;

static void assert_fit_refuses(const hr_fit_options *options, const char *field) {
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_fit(small.data, options, &model, &err);
    if (status != HR_E_ARGUMENT) fail_msg("%s: field %s: status %d", options->method, field, status);
    assert_null(model);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] && err.remedy[0]);
}

static void check_fields(const hr_method_info *method, hr_mode mode, const hr_option_info *option) {
    const struct place *at = place_of(option->name);
    hr_fit_options options = options_of(method->name, mode);
    if (at->kind == WORD) {
        put(&options, at, -1);
        assert_fit_refuses(&options, option->name);
        put(&options, at, strstr(option->range, "exact") ? HR_EDGES_EXACT + 1 : 2);
        assert_fit_refuses(&options, option->name);
        return;
    }
    limits l = limits_of(option->range);
    put(&options, at, just_above(at, l.high));
    assert_fit_refuses(&options, option->name);
    put(&options, at, l.low_excluded ? l.low : just_below(at, l.low));
    assert_fit_refuses(&options, option->name);
    static const double odd[] = {-INFINITY, INFINITY, NAN};
    for (size_t i = 0; at->kind == REAL && i < COUNT(odd); i++) {
        put(&options, at, odd[i]);
        assert_fit_refuses(&options, option->name);
    }
}

static void test_fit__refuses_fields_out_of_range(void **state) {
    (void)state;
    each_option(check_fields);
}

static void test_fit__refuses_exact_edges_in_sound_mode(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        hr_fit_options options = options_of(methods[i], HR_MODE_SOUND);
        options.edges = HR_EDGES_EXACT;
        assert_fit_refuses(&options, "edges");
    }
}

/* Published methods have exact edges and no delta, whatever these fields say. */
static void test_fit__ignores_fields_that_the_mode_does_not_take(void **state) {
    (void)state;
    static const char *const methods[] = {"gbdt", "dpboost", "seq", "para"};
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int mode = m ? HR_MODE_PAPER : HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            hr_fit_options options = seeded_options_of(methods[m], (hr_mode)mode, 1);
            options.trees = 2;
            char *wanted = fit_text(small.data, &options);
            options.delta = 7;
            if (m) options.edges = (hr_edges)77;
            options.by_name[HR_OPTION_BOUNDING] = HR_BOUNDING_CLIP;
            options.bin_share = options.leaf_share = options.count_share = NAN;
            if (!m) options.epsilon = -1;
            char *got = fit_text(small.data, &options);
            assert_string_equal(got, wanted);
            hr_text_free(got);
            hr_text_free(wanted);
        }
}

/* A program that was built when the struct ended after the mode, after the options, or before the caller's
 * progress. */
static void test_fit__takes_options_of_an_older_header(void **state) {
    (void)state;
    static const size_t sizes[] = {offsetof(hr_fit_options, epsilon), offsetof(hr_fit_options, by_name),
                                   offsetof(hr_fit_options, progress)};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        hr_fit_options *shorter = malloc(sizes[i]), wanted;
        assert_int_equal(hr_fit_options_init_sized(shorter, sizes[i], "gbdt", HR_MODE_SOUND, NULL), HR_OK);
        assert_int_equal(shorter->size, sizes[i]);
        assert_int_equal(hr_fit_options_init(&wanted, "gbdt", HR_MODE_SOUND, NULL), HR_OK);
        wanted.trees = i ? 3 : wanted.trees;
        assert_int_equal(hr_fit_options_set(shorter, "trees", "3", NULL), i ? HR_OK : HR_E_ARGUMENT);
        assert_int_equal(hr_fit_options_set(shorter, "min-child-weight", "2", NULL),
                         i > 1 ? HR_OK : HR_E_ARGUMENT);
        wanted.by_name[HR_OPTION_MIN_CHILD_WEIGHT] = i > 1 ? 2 : 1;
        char *texts[2] = {fit_text(small.data, &wanted), fit_text(small.data, shorter)};
        assert_string_equal(texts[0], texts[1]);
        for (size_t k = 0; k < 2; k++) hr_text_free(texts[k]);
        free(shorter);
    }
}

static void test_fit__refuses_options_of_another_size_or_mode(void **state) {
    (void)state;
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_model *model = NULL;
    const size_t sizes[] = {0, offsetof(hr_fit_options, epsilon) - 1, sizeof options + 1, 2 * sizeof options,
                            SIZE_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        options.size = sizes[i];
        hr_fit_options before = options;
        assert_int_equal(hr_fit(small.data, &options, &model, NULL), HR_E_ARGUMENT);
        assert_int_equal(hr_fit_options_set(&options, "trees", "5", NULL), HR_E_ARGUMENT);
        assert_memory_equal(&options, &before, sizeof before);
    }
    assert_int_equal(
        hr_fit_options_init_sized(&options, offsetof(hr_fit_options, mode), NULL, HR_MODE_SOUND, NULL),
        HR_E_ARGUMENT);
    static const int modes[] = {-1, 2, 7};
    for (size_t i = 0; i < COUNT(modes); i++) {
        options = options_of("dpboost", HR_MODE_SOUND);
        assert_int_equal(hr_fit_options_init(&options, "dpboost", (hr_mode)modes[i], NULL), HR_E_ARGUMENT);
        options.mode = (hr_mode)modes[i];
        assert_int_equal(hr_fit(small.data, &options, &model, NULL), HR_E_ARGUMENT);
    }
    options = options_of("dpboost", HR_MODE_SOUND);
    options.method = "nobody";
    assert_int_equal(hr_fit(small.data, &options, &model, NULL), HR_E_ARGUMENT);
    options.method = NULL;
    assert_int_equal(hr_fit(small.data, &options, &model, NULL), HR_E_ARGUMENT);
    options = options_of("dpboost", HR_MODE_SOUND);
    options.threads = -1;
    assert_int_equal(hr_fit(small.data, &options, &model, NULL), HR_E_ARGUMENT);
    assert_null(model);
}

static int open_small(void **state) {
    (void)state;
    small = table_of_steps(8, 1, 2, 1);
    return 0;
}

static int close_small(void **state) {
    (void)state;
    table_close(&small);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__have_the_defaults_that_are_listed),
        cmocka_unit_test(test_options__end_at_their_bounds),
        cmocka_unit_test(test_options__take_their_words),
        cmocka_unit_test(test_options__are_parsed_strictly),
        cmocka_unit_test(test_options__without_a_method_are_those_of_the_default),
        cmocka_unit_test(test_options__that_a_mode_lacks_tell_which_it_takes),
        cmocka_unit_test(test_options__of_unknown_names_are_refused),
        cmocka_unit_test(test_methods__of_unknown_names_are_refused),
        cmocka_unit_test(test_methods__tell_what_they_prove_and_what_they_do_not),
        cmocka_unit_test(test_fit__refuses_fields_out_of_range),
        cmocka_unit_test(test_fit__refuses_exact_edges_in_sound_mode),
        cmocka_unit_test(test_fit__ignores_fields_that_the_mode_does_not_take),
        cmocka_unit_test(test_fit__takes_options_of_an_older_header),
        cmocka_unit_test(test_fit__refuses_options_of_another_size_or_mode),
    };
    return cmocka_run_group_tests(tests, open_small, close_small);
}
