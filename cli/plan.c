/* A plan in words for somebody who has never met an epsilon: what it promises, and whether the noise leaves
 * enough to learn. */
#include "plan.h"

#include "output.h"

#include <hedgerow/amount.h>
#include <hedgerow/promise.h>
#include <math.h>

enum { INDENT = 9 };

/* Whether delta is more than one record in so many: then a mechanism that publishes one of them would pass.
 */
static bool delta_too_large(double delta, double records) {
    return delta > 0 && records > 0 && delta * records > 1;
}

static void print_line(const char *name, const char *text) {
    printf("%-8s ", name);
    print_wrapped(stdout, text, INDENT);
}

static void print_shape(const hr_plan_info *plan) {
    char text[400];
    snprintf(text, sizeof text,
             "%zu, each the choice among %zu random trees; each corrects up to %.3g of what is left",
             plan->rounds, plan->candidates, plan->step);
    print_line("rounds", text);
    int deepest = plan->depth_pair > plan->depth_all ? plan->depth_pair : plan->depth_all;
    if (plan->depth_pair == 0) deepest = plan->depth_one;
    size_t at =
        (size_t)snprintf(text, sizeof text, "%d splits deep if they ask about one feature", plan->depth_one);
    if (plan->depth_pair > 0)
        at += (size_t)snprintf(text + at, sizeof text - at, ", %d about two", plan->depth_pair);
    if (plan->depth_all > 0)
        at += (size_t)snprintf(text + at, sizeof text - at, ", %d about all%s", plan->depth_all,
                               plan->lists ? " of a list" : "");
    snprintf(text + at, sizeof text - at, "%s: up to %d leaves", plan->depth_pair == 0 ? ", as all do" : "",
             1 << deepest);
    print_line("trees", text);
}

/* bounds: the part of the budget that is not shared here, but pays for bounds. */
static void print_shares(const hr_plan_info *plan, double bounds) {
    const bool of_times = plan->intervals > 0;
    const struct {
        const char *name;
        double share;
    } shares[] = {{"bin edges", plan->share_bins},
                  {"interval counts", of_times ? plan->share_count + plan->share_base : 0},
                  {"record count", of_times ? 0 : plan->share_count},
                  {"base score", of_times ? 0 : plan->share_base},
                  {"choices of trees", plan->share_choices},
                  {"leaf sums", plan->share_sums},
                  {"leaf counts", plan->share_counts},
                  {"clip counts", plan->share_clip},
                  {"calibration", plan->share_calibration}};
    char text[400] = "";
    const char *between = "";
    size_t at = 0;
    if (bounds > 0) at = (size_t)snprintf(text, sizeof text, "of what the bounds (%g %%)", 100 * bounds);
    if (plan->cuts_share > 0)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s the cuts of times (%g %%)",
                               bounds > 0 ? " and" : "of what", 100 * plan->cuts_share);
    if (at > 0) at += (size_t)snprintf(text + at, sizeof text - at, " leave: ");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (shares[i].share <= 0) continue;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.1f %%", between, shares[i].name,
                               100 * shares[i].share);
        between = ", ";
    }
    print_line("budget", text);
}

/* Beside gradients, which are at most 1 in size. */
static const char *noise_size_of(double noise) {
    if (noise < .05) return "small compared with the signal";
    if (noise < .2) return "some signal is lost in it";
    if (noise < .6) return "much signal is lost in it; more records or a larger epsilon would help";
    return "the noise is larger than the signal; get more records, or spend a larger epsilon";
}

/* Of counts: the noise of the trees is relative. */
static void print_effect_on_counts(const hr_plan_info *plan) {
    char text[400];
    snprintf(
        text, sizeof text,
        "over all rounds the noise moves the logarithm of a prediction by up to about %.2g, by %.2g %% of "
        "the mean",
        plan->prediction_noise, 100 * expm1(plan->prediction_noise));
    print_line("effect", text);
    snprintf(
        text, sizeof text,
        "the highest count is %.4g: the noise of the mean that the trees start from is proportional to it, "
        "that of the trees is not",
        plan->label_range);
    print_line("label", text);
}

static void print_effect_on_quantiles(const hr_plan_info *plan) {
    char text[400];
    snprintf(text, sizeof text,
             "if steps stayed as wide as they are at first, the noise of all rounds would move a quantile by "
             "about %.2g, labels being %.4g wide; they become as wide as the labels are spread",
             plan->prediction_noise, plan->label_range);
    print_line("effect", text);
}

static void print_effect_on_numbers(const hr_plan_info *plan) {
    char text[400];
    snprintf(
        text, sizeof text,
        "over all rounds the noise moves a prediction by up to about %.2g, labels being %.4g wide%s",
        plan->prediction_noise, plan->label_range,
        plan->label_noise > plan->prediction_noise
            ? ": less than that of one leaf, since leaves are drawn towards the mean of all records the more "
              "noise they have, and lose signal, too, and a round adds a part of them"
            : "");
    print_line("effect", text);
    if (plan->label_range == 1) return;
    snprintf(text, sizeof text,
             "its bounds are %.4g wide, and the noise is proportional to that: bounds 10 times as narrow, if "
             "public knowledge gives some, would leave a standard deviation of %.3g",
             plan->label_range, plan->label_noise / 10);
    print_line("label", text);
}

static void print_noise(const hr_plan_info *plan) {
    const bool of_times = plan->intervals > 0, of_numbers = plan->label_range != 1 && !plan->quantiles;
    const char *unit = plan->label_range == 1 ? "of a probability"
                       : plan->quantiles > 0  ? "in the label's unit, by the steps of the first rounds"
                                              : "in the label's unit";
    char text[400], same[120] = "";
    if (plan->label_noise != plan->leaf_noise)
        snprintf(same, sizeof same, " (%.3g %s)", plan->label_noise, unit);
    snprintf(text, sizeof text,
             "for a leaf of %.0f records %s is known with a standard deviation of %.3g%s: %s%s",
             plan->leaf_records, plan->leaf_figure, plan->leaf_noise, same,
             of_numbers && !plan->of_logarithm ? "if labels are spread over all of their bounds, " : "",
             of_times ? "an interval in which fewer have their event is mostly noise"
                      : noise_size_of(plan->gradient_noise));
    print_line("noise", text);
    if (of_times) return;
    (plan->of_logarithm    ? print_effect_on_counts
     : plan->quantiles > 0 ? print_effect_on_quantiles
                           : print_effect_on_numbers)(plan);
}

static hr_promise promise_of(const hr_plan_info *plan) {
    return (hr_promise){plan->epsilon, plan->delta, plan->odds_beyond, plan->odds_beyond_gaussian};
}

/* whom: it is for. */
static void print_promise(const hr_plan_info *plan, const char *whom) {
    char text[HR_PROMISE_TEXT], largest[HR_AMOUNT_TEXT];
    const hr_promise promise = promise_of(plan);
    hr_promise_text(&promise, whom, text);
    print_line("promise", text);
    hr_delta_left_text(1 / plan->records, largest);
    if (!delta_too_large(plan->delta, plan->records)) return;
    snprintf(text, sizeof text,
             "delta is above 1/%.0f, one over the number of records, and training will refuse it: choose it "
             "below %s",
             plan->records, largest);
    print_line("warning", text);
}

/* what: the undertaking of which nothing is done. */
static void print_head(const hr_plan_info *plan, const char *method, const char *what) {
    char epsilon[HR_AMOUNT_TEXT], delta[HR_AMOUNT_TEXT];
    hr_spent_text(plan->epsilon, epsilon);
    hr_spent_text(plan->delta, delta);
    printf("%-8s %s, epsilon %s, delta %s; nothing is %s\n", "plan", method, epsilon, delta, what);
}

static void print_records(const hr_plan_info *plan, const char *whose, bool guessed) {
    printf("%-8s %.0f%s%s\n", "records", plan->records, whose,
           guessed ? ", an assumption: give the number with --rows" : "");
}

/* What is counted, where the schema names a unit. */
static void print_unit(const char *unit, int64_t records_per_person) {
    char text[400];
    if (unit == NULL) return;
    if (records_per_person > 0)
        snprintf(text, sizeof text,
                 "the promise is for one person, all records of one %.60s; at most %lld of them are trained "
                 "on, and counted above as records",
                 unit, (long long)records_per_person);
    else
        snprintf(
            text, sizeof text,
            "the promise is for one person, all records of one %.60s, and what is called records above are "
            "persons",
            unit);
    print_line("unit", text);
}

static void print_weight(const char *weight, double high) {
    char text[300];
    if (weight == NULL) return;
    snprintf(
        text, sizeof text,
        "a record counts its %.60s over %.6g; what is called records above are sums of that, which --rows "
        "is to be",
        weight, high);
    print_line("weight", text);
}

/* Of an interval that records correct which are held out for it, or that of a start. */
static void print_interval(const hr_plan_info *plan) {
    char text[300], promised[80] = "no coverage is promised: too few are held out for this budget";
    snprintf(text, sizeof text,
             "that of the start for %g of the labels is corrected, and this one will not be: its trees move "
             "the quantiles again",
             plan->start_coverage);
    if (plan->start_coverage > 0) print_line("interval", text);
    if (plan->coverage == 0) return;
    if (plan->short_by < plan->coverage)
        snprintf(promised, sizeof promised, "on average it covers %g less at most %.2g", plan->coverage,
                 plan->short_by);
    snprintf(text, sizeof text,
             "a fifth of the records, about %.0f, is held out and corrects the interval; %s", plan->held_out,
             promised);
    print_line("interval", text);
}

void print_plan(const hr_plan_info *plan, const plan_terms *terms) {
    print_head(plan, terms->method, "read, drawn or spent");
    print_records(plan, "", terms->guessed);
    print_interval(plan);
    print_shape(plan);
    print_shares(plan, terms->bounds_share);
    print_noise(plan);
    print_promise(plan, terms->unit != NULL ? "one person" : "one record");
    print_unit(terms->unit, terms->records_per_person);
    print_weight(terms->weight, terms->weight_high);
}

/* ---- A job ---- */

static void print_owners(const hr_job_plan_info *job) {
    char text[300], others[40] = "one other owner";
    if (job->honest == 0) {
        snprintf(text, sizeof text,
                 "%zu; each trains a model alone, on about %.0f records, and sends it once; a record is safe "
                 "against all others, whatever they do",
                 job->owners, job->plan.records / (double)job->owners);
        print_line("owners", text);
        return;
    }
    if (job->owners == 1) {
        print_line("owners", "1, which has all records; the coordinator gets noisy sums");
        return;
    }
    if (job->coalition > 1) snprintf(others, sizeof others, "%zu other owners", job->coalition);
    snprintf(
        text, sizeof text,
        "%zu; a record is safe against the coordinator together with any %s. Shares of noise: %zu, counted "
        "on: %zu; all together %.3g times the noise of one owner of all records",
        job->owners, others, job->owners, job->honest, job->noise_factor);
    print_line("owners", text);
}

static void print_bounds(const hr_job_plan_info *job) {
    char text[300];
    if (job->records_most <= 0) return;
    const bool fits = job->plan.records >= job->records_least && job->plan.records <= job->records_most;
    snprintf(
        text, sizeof text,
        "%.0f to %.0f records of all owners, as the job says; where what owners send is beyond them, the "
        "model is suspect%s",
        job->records_least, job->records_most, fits ? "" : ". The number of records above is beyond them");
    print_line("bounds", text);
}

static void print_turns(const hr_job_plan_info *job) {
    char text[300];
    snprintf(
        text, sizeof text,
        "an owner chooses the tree of at most %zu rounds, on its own records, which pay for these choices "
        "only",
        job->turns);
    if (job->owners > 1 && job->honest > 0) print_line("turns", text);
}

/* Bytes, to two figures: they are an estimate. */
static void size_text(double bytes, char text[24]) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) bytes /= 1000, unit++;
    double step = bytes >= 100 ? 10 : bytes >= 10 ? 1 : .1;
    snprintf(text, 24, "%.*f %s", bytes < 10 && unit ? 1 : 0, step * round(bytes / step), units[unit]);
}

static void print_traffic(const hr_job_plan_info *job) {
    char sends[24], receives[24], owner_sends[24], owner_receives[24], text[300];
    size_text(job->coordinator_sends, sends);
    size_text(job->coordinator_receives, receives);
    size_text(job->owner_sends, owner_sends);
    size_text(job->owner_receives, owner_receives);
    snprintf(text, sizeof text,
             "the coordinator sends about %s and receives about %s; an owner sends about %s and receives "
             "about %s",
             sends, receives, owner_sends, owner_receives);
    print_line("traffic", text);
}

static const char *mark_of(const hr_job_plan_info *job, const hr_coalition_price *price) {
    if (price->coalition == job->coalition) return "this job";
    return price->coalition + 1 == job->owners ? "all others" : "";
}

static void print_prices(const hr_job_plan_info *job) {
    if (job->price_count == 0) return;
    puts("\nCoalitions of owners, and their cost beside one owner of all records:\n\n"
         "coalition  shares counted on  times the noise  as good as records");
    for (size_t i = 0; i < job->price_count; i++) {
        const hr_coalition_price *price = &job->prices[i];
        const char *mark = mark_of(job, price);
        printf("%9zu  %17zu  %15.3g  %18.0f%s%s\n", price->coalition, price->honest, price->noise_factor,
               job->plan.records / price->noise_factor, *mark ? "  " : "", mark);
    }
}

static void print_rounds(const hr_job_plan_info *job) {
    print_shape(&job->plan);
    print_turns(job);
    print_shares(&job->plan, 0);
    print_noise(&job->plan);
}

/* id3: one tree, from counts. */
static void print_levels(const hr_job_plan_info *job) {
    char text[300], records[40] = "";
    snprintf(
        text, sizeof text,
        "%zu at most, each a sum over the owners, and one of the leaves; of levels whose sum is lost %zu "
        "may be asked again",
        job->levels, job->repeats);
    print_line("levels", text);
    if (job->share_records > 0)
        snprintf(records, sizeof records, "the count of records %.1f %%, ", 100 * job->share_records);
    snprintf(
        text, sizeof text,
        "%seach level %.1f %%, leaves %.1f %%, reserve %.1f %%; what is left of levels and reserve is the "
        "leaves'",
        records, 100 * job->share_level, 100 * job->share_leaves,
        100 * job->share_level * (double)job->repeats);
    print_line("budget", text);
    snprintf(text, sizeof text,
             "a count of the first level is known with a standard deviation of %.3g records, of a leaf %.3g",
             job->level_noise, job->leaf_noise);
    print_line("noise", text);
}

static void print_job_plan(const hr_job_plan_info *job, bool guessed) {
    print_head(&job->plan, job->method, "sent, drawn or spent");
    print_owners(job);
    print_records(&job->plan, " over all owners", guessed);
    print_bounds(job);
    print_interval(&job->plan);
    (job->levels > 0 ? print_levels : print_rounds)(job);
    print_traffic(job);
    const char *unit = *job->unit != '\0' ? job->unit : NULL;
    print_promise(&job->plan, unit != NULL ? "one person" : "one record");
    print_unit(unit, 0);
    if (unit != NULL) print_line("", "a person with records at several owners counts once at each");
    print_weight(*job->weight != '\0' ? job->weight : NULL, job->weight_high);
    print_prices(job);
}

static void put_interval(json_writer *to, const hr_plan_info *plan) {
    if (plan->start_coverage > 0) json_number(to, "start_coverage", plan->start_coverage);
    if (plan->coverage == 0) return;
    json_open(to, "conformal", '{');
    json_number(to, "coverage", plan->coverage);
    json_number(to, "held_out", plan->held_out);
    json_number(to, "short_by", plan->short_by);
    json_close(to, '}');
}

/* Of the budget. */
static void put_shares(json_writer *to, const hr_plan_info *plan) {
    json_open(to, "shares", '{');
    json_number(to, "bin_edges", plan->share_bins);
    if (plan->intervals > 0) {
        json_number(to, "interval_counts", plan->share_count + plan->share_base);
    } else {
        json_number(to, "record_count", plan->share_count);
        json_number(to, "base_score", plan->share_base);
    }
    json_number(to, "choices", plan->share_choices);
    json_number(to, "leaf_sums", plan->share_sums);
    json_number(to, "leaf_counts", plan->share_counts);
    json_number(to, "clip_counts", plan->share_clip);
    json_number(to, "calibration", plan->share_calibration);
    json_close(to, '}');
}

static void put_plan(json_writer *to, const hr_plan_info *plan, const char *method, bool guessed) {
    json_text(to, "method", method);
    json_number(to, "epsilon", plan->epsilon);
    json_delta(to, "delta", plan->delta);
    json_number(to, "records", plan->records);
    json_flag(to, "records_guessed", guessed);
    json_flag(to, "delta_too_large", delta_too_large(plan->delta, plan->records));
    json_integer(to, "rounds", plan->rounds);
    json_integer(to, "candidates", plan->candidates);
    json_number(to, "step", plan->step);
    json_integer(to, "depth_one", (uint64_t)plan->depth_one);
    json_integer(to, "depth_pair", (uint64_t)plan->depth_pair);
    json_integer(to, "depth_all", (uint64_t)plan->depth_all);
    if (plan->lists) json_flag(to, "lists", true);
    if (plan->cuts_share > 0) json_number(to, "cuts_share", plan->cuts_share);
    put_interval(to, plan);
    put_shares(to, plan);
    json_number(to, "leaf_records", plan->leaf_records);
    if (plan->leaf_figure != NULL) { /* trees that are no hedge's have none */
        json_text(to, "leaf_figure", plan->leaf_figure);
        json_number(to, "leaf_noise", plan->leaf_noise);
    }
    json_number(to, "gradient_noise", plan->gradient_noise);
    json_number(to, "label_noise", plan->label_noise);
    if (plan->intervals == 0) json_number(to, "prediction_noise", plan->prediction_noise);
    json_number(to, "label_range", plan->label_range);
    json_flag(to, "of_logarithm", plan->of_logarithm);
    const hr_promise promise = promise_of(plan);
    json_number(to, "odds_factor", exp(plan->epsilon));
    json_number(to, "guess", hr_promise_guess(&promise));
    json_number(to, "odds_beyond", promise.odds_beyond);
    json_number(to, "odds_beyond_gaussian", promise.odds_beyond_gaussian);
}

void print_plan_json(const hr_plan_info *plan, const plan_terms *terms) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    put_plan(&json, plan, terms->method, terms->guessed);
    if (terms->unit != NULL) json_text(&json, "unit", terms->unit);
    if (terms->weight != NULL) {
        json_text(&json, "weight", terms->weight);
        json_number(&json, "weight_high", terms->weight_high);
    }
    if (terms->records_per_person > 0)
        json_integer(&json, "records_per_person", (uint64_t)terms->records_per_person);
    if (terms->bounds_share > 0) json_number(&json, "bounds_share", terms->bounds_share);
    json_close(&json, '}');
    putchar('\n');
}

static void put_prices(json_writer *to, const hr_job_plan_info *job) {
    json_open(to, "coalitions", '[');
    for (size_t i = 0; i < job->price_count; i++) {
        json_open(to, NULL, '{');
        json_integer(to, "coalition", job->prices[i].coalition);
        json_integer(to, "honest", job->prices[i].honest);
        json_number(to, "noise_factor", job->prices[i].noise_factor);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void put_levels(json_writer *to, const hr_job_plan_info *job) {
    json_integer(to, "levels", job->levels);
    json_integer(to, "repeats", job->repeats);
    json_number(to, "share_records", job->share_records);
    json_number(to, "share_level", job->share_level);
    json_number(to, "share_leaves", job->share_leaves);
    json_number(to, "level_noise", job->level_noise);
    json_number(to, "leaf_noise", job->leaf_noise);
}

static void print_job_plan_json(const hr_job_plan_info *job, bool guessed) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    put_plan(&json, &job->plan, job->method, guessed);
    if (*job->unit != '\0') json_text(&json, "unit", job->unit);
    json_integer(&json, "owners", job->owners);
    if (job->records_most > 0) {
        json_number(&json, "records_least", job->records_least);
        json_number(&json, "records_most", job->records_most);
    }
    json_integer(&json, "coalition", job->coalition);
    json_integer(&json, "honest", job->honest);
    json_number(&json, "noise_factor", job->noise_factor);
    json_integer(&json, "turns", job->turns);
    json_number(&json, "coordinator_sends", round(job->coordinator_sends));
    json_number(&json, "coordinator_receives", round(job->coordinator_receives));
    json_number(&json, "owner_sends", round(job->owner_sends));
    json_number(&json, "owner_receives", round(job->owner_receives));
    if (job->levels > 0) put_levels(&json, job);
    put_prices(&json, job);
    json_close(&json, '}');
    putchar('\n');
}

int run_job_plan(const char *name, const char *file, size_t owners, const arg_integer *rows, bool as_json) {
    hr_error err = {0};
    hr_job_plan_info job;
    const double records = rows->given ? (double)rows->value : ROWS_GUESSED;
    if (hr_job_plan(file, owners, records, &job, &err) != HR_OK) return report_error(name, &err);
    (as_json ? print_job_plan_json : print_job_plan)(&job, !rows->given);
    return EXIT_DONE;
}
