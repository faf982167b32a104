/* Training, and what it will do. */
#include "hedgerow.h"

#include <stddef.h>

static void release_model(void *at) {
    hr_model_free(at);
}

/* During a call that trains. */
typedef struct run {
    bool stopped;
    remark_list *remarks;
} run;

static bool goes_on(void *user) {
    run *r = user;
    if (!r->stopped && was_interrupted()) r->stopped = true;
    return !r->stopped;
}

static bool on_progress(void *user, size_t done, size_t total) {
    (void)done;
    (void)total;
    return goes_on(user);
}

/* What is known after the fit alone: the rest was looked at before it (hedgerow_remarks). */
static bool on_remark(void *user, const hr_remark *remark) {
    run *r = user;
    if (remark->kind == HR_REMARK_LEFT_OUT || remark->kind == HR_REMARK_INTERVAL)
        keep_remark(r->remarks, remark);
    return true;
}

static void set_options(hr_fit_options *options, SEXP by_name) {
    SEXP names = Rf_getAttrib(by_name, R_NamesSymbol);
    hr_error err = {0};
    for (R_xlen_t i = 0; i < XLENGTH(by_name); i++)
        check(hr_fit_options_set(options, CHAR(STRING_ELT(names, i)),
                                 Rf_translateCharUTF8(STRING_ELT(by_name, i)), &err),
              &err);
}

static void init_options(hr_fit_options *options, SEXP settings, bool of_job) {
    hr_error err = {0};
    const hr_mode mode = Rf_asLogical(element(settings, "paper")) == TRUE ? HR_MODE_PAPER : HR_MODE_SOUND;
    check(hr_fit_options_init(options, text_in(element(settings, "method")), mode, &err), &err);
    if (of_job) hr_job_options_init(options);
    set_options(options, element(settings, "options"));
}

static void set_seed(hr_fit_options *options, SEXP seed) {
    if (seed == R_NilValue) return;
    options->reproducible_noise = true;
    options->seed = (uint64_t)Rf_asReal(seed);
}

static void set_records(hr_fit_options *options, SEXP settings) {
    SEXP wide = element(settings, "private"), of_classes = element(settings, "class_weights"),
         of_records = element(settings, "record_weights");
    options->records_per_person = (int64_t)number_of(settings, "records_per_person");
    options->private_bounds = texts_in(wide);
    options->private_bounds_count = (size_t)XLENGTH(wide);
    options->leak = text_in(element(settings, "leak"));
    if (of_classes != R_NilValue) {
        options->class_weights = REAL(of_classes);
        options->class_weight_count = (size_t)XLENGTH(of_classes);
    }
    if (of_records != R_NilValue) {
        options->record_weights = REAL(of_records);
        options->record_weight_count = (size_t)XLENGTH(of_records);
    }
}

/* A list: the model, and remarks about the fit. */
SEXP hedgerow_fit(SEXP data, SEXP settings) {
    static const char *const names[] = {"model", "remarks", NULL};
    SEXP out = PROTECT(named_list(names)), holder = PROTECT(remark_box());
    SEXP model_box = PROTECT(box_new(OBJECT_MODEL, release_model, R_NilValue));
    const hr_data *table = box_of(data, OBJECT_DATA);
    SEXP ledger = element(settings, "ledger");
    run r = {.remarks = box_of(holder, "remarks")};
    hr_fit_options options;
    init_options(&options, settings, false);
    set_seed(&options, element(settings, "seed"));
    set_records(&options, settings);
    options.threads = Rf_asInteger(element(settings, "threads"));
    options.ledger = ledger == R_NilValue ? NULL : box_of(ledger, OBJECT_LEDGER);
    options.of_program = true;
    options.progress = on_progress;
    options.remark = options.mode == HR_MODE_PAPER ? on_remark : NULL;
    options.user = &r;
    hr_model *model = NULL;
    hr_error err = {0};
    check(hr_fit(table, &options, &model, &err), &err);
    box_fill(model_box, model);
    SET_VECTOR_ELT(out, 0, model_box);
    SET_VECTOR_ELT(out, 1, remarks_out(r.remarks));
    hedgerow_release(holder);
    UNPROTECT(3);
    return out;
}

SEXP hedgerow_simulation(SEXP tables, SEXP settings) {
    SEXP model_box = PROTECT(box_new(OBJECT_MODEL, release_model, R_NilValue));
    const size_t count = (size_t)XLENGTH(tables);
    const hr_data **data = (const hr_data **)R_alloc(count + 1, sizeof *data);
    for (size_t i = 0; i < count; i++) data[i] = box_of(VECTOR_ELT(tables, (R_xlen_t)i), OBJECT_DATA);
    run r = {0};
    hr_fit_options options;
    init_options(&options, settings, true);
    const hr_simulated_owners owners = {.tables = data,
                                        .count = count,
                                        .rounds = (size_t)number_of(settings, "rounds"),
                                        .coalition = (size_t)number_of(settings, "coalition")};
    hr_party_settings party = HR_PARTY_SETTINGS_INIT;
    party.threads = Rf_asInteger(element(settings, "threads"));
    party.should_continue = goes_on;
    party.user = &r;
    hr_model *model = NULL;
    hr_error err = {0};
    check(hr_simulate_records(&options, &owners, &party, &model, &err), &err);
    box_fill(model_box, model);
    UNPROTECT(1);
    return model_box;
}

/* ---- What a fit will do ---- */

typedef enum number_type { OF_DOUBLE, OF_SIZE, OF_INT } number_type;

#define FIELD(name, type)                                                                                    \
    { #name, offsetof(hr_plan_info, name), type }

static const struct plan_field {
    const char *name;
    size_t at;
    number_type type;
} plan_fields[] = {FIELD(epsilon, OF_DOUBLE),       FIELD(delta, OF_DOUBLE),
                   FIELD(records, OF_DOUBLE),       FIELD(rounds, OF_SIZE),
                   FIELD(candidates, OF_SIZE),      FIELD(step, OF_DOUBLE),
                   FIELD(depth_one, OF_INT),        FIELD(depth_pair, OF_INT),
                   FIELD(depth_all, OF_INT),        FIELD(cuts_share, OF_DOUBLE),
                   FIELD(share_bins, OF_DOUBLE),    FIELD(share_count, OF_DOUBLE),
                   FIELD(share_base, OF_DOUBLE),    FIELD(share_calibration, OF_DOUBLE),
                   FIELD(share_choices, OF_DOUBLE), FIELD(share_sums, OF_DOUBLE),
                   FIELD(share_counts, OF_DOUBLE),  FIELD(share_clip, OF_DOUBLE),
                   FIELD(label_range, OF_DOUBLE),   FIELD(intervals, OF_SIZE),
                   FIELD(quantiles, OF_SIZE),       FIELD(leaf_records, OF_DOUBLE),
                   FIELD(leaf_noise, OF_DOUBLE),    FIELD(gradient_noise, OF_DOUBLE),
                   FIELD(label_noise, OF_DOUBLE),   FIELD(prediction_noise, OF_DOUBLE),
                   FIELD(coverage, OF_DOUBLE),      FIELD(held_out, OF_DOUBLE),
                   FIELD(short_by, OF_DOUBLE)};
enum { PLAN_FIELDS = sizeof plan_fields / sizeof *plan_fields };

static double plan_number(const hr_plan_info *info, const struct plan_field *field) {
    const char *at = (const char *)info + field->at;
    if (field->type == OF_SIZE) return (double)*(const size_t *)(const void *)at;
    if (field->type == OF_INT) return *(const int *)(const void *)at;
    return *(const double *)(const void *)at;
}

static SEXP plan_numbers(const hr_plan_info *info) {
    const char *names[PLAN_FIELDS + 1] = {NULL};
    for (size_t i = 0; i < PLAN_FIELDS; i++) names[i] = plan_fields[i].name;
    SEXP out = PROTECT(named_list(names));
    for (size_t i = 0; i < PLAN_FIELDS; i++)
        SET_VECTOR_ELT(out, (R_xlen_t)i, Rf_ScalarReal(plan_number(info, &plan_fields[i])));
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_plan_info(SEXP settings, SEXP records, SEXP schema) {
    hr_fit_options options;
    hr_plan_info info;
    hr_error err = {0};
    const hr_schema *at = schema == R_NilValue ? NULL : box_of(schema, OBJECT_SCHEMA);
    init_options(&options, settings, false);
    set_records(&options, settings);
    check(hr_fit_plan(&options, Rf_asReal(records), at, &info, &err), &err);
    return plan_numbers(&info);
}

/* ---- What there is ---- */

SEXP hedgerow_method_list(void) {
    static const char *const names[] = {"name", "private", "summary", "paper", "sound", NULL};
    const R_xlen_t count = (R_xlen_t)hr_method_count();
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t i = 0; i < 5; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(i == 1 ? LGLSXP : STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        const hr_method_info *info = hr_method_at((size_t)i);
        LOGICAL(VECTOR_ELT(out, 1))[i] = info->is_private;
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, Rf_mkCharCE(info->name, CE_UTF8));
        SET_STRING_ELT(VECTOR_ELT(out, 2), i, Rf_mkCharCE(info->summary, CE_UTF8));
        SET_STRING_ELT(VECTOR_ELT(out, 3), i, Rf_mkCharCE(info->paper, CE_UTF8));
        SET_STRING_ELT(VECTOR_ELT(out, 4), i, Rf_mkCharCE(info->sound, CE_UTF8));
    }
    UNPROTECT(1);
    return out;
}

SEXP hedgerow_method_option_list(SEXP method) {
    static const char *const names[] = {"name", "range", "default", "help", NULL};
    const hr_method_info *info = hr_method_find(text_in(method));
    hr_option_info option;
    size_t count = 0;
    if (!info) refuse("there is no such method; hedgerow_methods() lists them");
    while (hr_method_option(info, count, &option)) count++;
    SEXP out = PROTECT(named_list(names));
    for (R_xlen_t i = 0; i < 4; i++) SET_VECTOR_ELT(out, i, Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count && hr_method_option(info, i, &option); i++) {
        const char *const texts[] = {option.name, option.range, option.sound, option.help};
        for (R_xlen_t k = 0; k < 4; k++)
            SET_STRING_ELT(VECTOR_ELT(out, k), (R_xlen_t)i, Rf_mkCharCE(texts[k], CE_UTF8));
    }
    UNPROTECT(1);
    return out;
}
