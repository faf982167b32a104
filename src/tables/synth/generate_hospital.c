/* An invented hospital's discharges: who comes back within 30 days? Of mixed kinds, with holes, and with a
 * truth that is known, so that one can see what privacy costs. docs/reference/hospital.md explains every
 * column; the functions below are its formulas. No patient lies behind it. */
#include "tables/synth/generate.h"

enum { FEMALE, MALE };
enum { INTERNAL, SURGERY, CARDIOLOGY, GERIATRICS, NEUROLOGY, ONCOLOGY };
enum { EMERGENCY, PLANNED, TRANSFER };
enum { NEVER, FORMER, CURRENT };
enum { HOME, HOME_CARE, REHABILITATION, NURSING_HOME };

enum column {
    AGE,
    SEX,
    WARD,
    ADMISSION,
    DAYS,
    PRIOR,
    CHARLSON,
    MEDICATIONS,
    SYSTOLIC,
    HEART_RATE,
    CREATININE,
    HAEMOGLOBIN,
    SODIUM,
    HBA1C,
    BMI,
    SMOKER,
    DISCHARGE,
    COLUMNS
};

/* What a hospital knows before it looks: ranges that a form accepts, and lists that a form offers. */
static const struct {
    const char *name;
    int low, high, decimals; /* numbers */
    const char *values[7];   /* categories */
} columns[COLUMNS] = {
    [AGE] = {"age", 18, 105, 0, {NULL}},
    [SEX] = {"sex", 0, 0, 0, {"female", "male"}},
    [WARD] = {"ward", 0, 0, 0, {"internal", "surgery", "cardiology", "geriatrics", "neurology", "oncology"}},
    [ADMISSION] = {"admission", 0, 0, 0, {"emergency", "planned", "transfer"}},
    [DAYS] = {"days", 1, 60, 0, {NULL}},
    [PRIOR] = {"prior_admissions", 0, 12, 0, {NULL}},
    [CHARLSON] = {"charlson", 0, 15, 0, {NULL}},
    [MEDICATIONS] = {"medications", 0, 30, 0, {NULL}},
    [SYSTOLIC] = {"systolic", 60, 240, 0, {NULL}},
    [HEART_RATE] = {"heart_rate", 30, 180, 0, {NULL}},
    [CREATININE] = {"creatinine", 0, 10, 2, {NULL}},
    [HAEMOGLOBIN] = {"haemoglobin", 4, 20, 1, {NULL}},
    [SODIUM] = {"sodium", 115, 160, 0, {NULL}},
    [HBA1C] = {"hba1c", 4, 14, 1, {NULL}},
    [BMI] = {"bmi", 12, 60, 1, {NULL}},
    [SMOKER] = {"smoker", 0, 0, 0, {"never", "former", "current"}},
    [DISCHARGE] = {"discharge", 0, 0, 0, {"home", "home_care", "rehabilitation", "nursing_home"}},
};

typedef struct hr_patient {
    double value[COLUMNS]; /* a category's index */
    bool missing[COLUMNS];
    bool emergency, diabetic;
    double frailty;
    uint64_t number, visits_left; /* where patients have several visits */
} patient;

enum { VISITS_MAX = 1000 };

/* Sets a number as the form takes it: within its range, rounded to its decimals. */
static void set(patient *p, enum column column, double value) {
    static const double units[] = {1, 10, 100};
    double unit = units[columns[column].decimals];
    p->value[column] =
        (double)hr_nearest(hr_clip(value, columns[column].low, columns[column].high) * unit) / unit;
}

static double above(double value, double start) {
    return value > start ? value - start : 0;
}

static void draw_person(hr_dice *dice, double frailty, patient *p) {
    set(p, AGE, 62 + 5 * frailty + 16 * hr_dice_normal(dice));
    p->value[SEX] = hr_dice_unit(dice) < 0.52 ? FEMALE : MALE;
    double smoker = hr_dice_unit(dice);
    p->value[SMOKER] = smoker < 0.5 ? NEVER : smoker < 0.8 ? FORMER : CURRENT;
    set(p, CHARLSON, 1.8 + 0.03 * (p->value[AGE] - 60) + 1.6 * frailty + hr_dice_normal(dice));
    set(p, PRIOR, 0.4 + 1.1 * frailty + 1.1 * hr_dice_normal(dice));
    p->diabetic = 0.3 * frailty + hr_dice_normal(dice) > 0.8;
}

static void draw_stay(hr_dice *dice, double frailty, patient *p) {
    static const double wards[] = {0.30, 0.52, 0.68, 0.80, 0.90};
    double ward = hr_dice_unit(dice), way = hr_dice_unit(dice),
           help = 0.8 * frailty + 0.02 * (p->value[AGE] - 65) + hr_dice_normal(dice);
    int w = 0;
    while (w < 5 && ward >= wards[w]) w++;
    p->value[WARD] = w == GERIATRICS && p->value[AGE] < 65 ? INTERNAL : w;
    double emergencies = p->value[WARD] == SURGERY ? 0.3 : 0.6;
    p->value[ADMISSION] = way < emergencies ? EMERGENCY : way < 0.9 ? PLANNED : TRANSFER;
    p->emergency = p->value[ADMISSION] == EMERGENCY;
    double n = hr_dice_normal(dice);
    set(p, DAYS, 3.5 + 1.2 * frailty + 2.5 * n * n);
    set(p, MEDICATIONS, 4 + 1.1 * p->value[CHARLSON] + 2.5 * hr_dice_normal(dice));
    p->value[DISCHARGE] = help < 0.6   ? HOME
                          : help < 1.1 ? HOME_CARE
                          : help < 1.7 ? REHABILITATION
                                       : NURSING_HOME;
}

static void draw_findings(hr_dice *dice, double frailty, patient *p) {
    double n = hr_dice_normal(dice);
    set(p, CREATININE, 0.6 + 0.35 * n * n + 0.12 * above(p->value[CHARLSON], 2));
    set(p, SYSTOLIC, 132 - 5 * frailty + 19 * hr_dice_normal(dice));
    set(p, HEART_RATE, 80 + 4 * frailty + 14 * hr_dice_normal(dice));
    set(p, HAEMOGLOBIN, (p->value[SEX] == MALE ? 14.1 : 13.0) - 0.9 * frailty + 1.5 * hr_dice_normal(dice));
    set(p, SODIUM, 139 - 1.3 * frailty + 3.2 * hr_dice_normal(dice));
    n = hr_dice_normal(dice);
    set(p, HBA1C, p->diabetic ? 7.8 + 1.3 * n : 5.4 + 0.35 * n);
    set(p, BMI, (p->diabetic ? 29 : 26.5) - frailty + 5 * hr_dice_normal(dice));
}

/* Points that add up one by one. */
static double single_risks(const double *v) {
    double points = 0.9 * (v[PRIOR] < 5 ? v[PRIOR] : 5) + 0.35 * (v[CHARLSON] < 8 ? v[CHARLSON] : 8) +
                    0.03 * above(v[AGE], 70);
    points += v[HAEMOGLOBIN] < 10 ? 1.6 : v[HAEMOGLOBIN] < 12 ? 0.8 : 0;
    points += v[SODIUM] < 135 ? 0.7 : 0;
    points += v[SYSTOLIC] < 105 ? 0.8 : v[SYSTOLIC] > 175 ? 0.5 : 0;
    points += v[HEART_RATE] > 100 ? 0.5 : 0;
    points += v[HBA1C] > 8 ? 0.7 : 0;
    points += v[BMI] < 20 ? 0.6 : v[BMI] > 37 ? 0.4 : 0;
    return points;
}

/* Points that arise only where two or three things meet. */
static double joint_risks(const patient *p) {
    const double *v = p->value;
    double points = 0;
    if (p->emergency) points += 0.12 * (v[DAYS] < 14 ? v[DAYS] : 14);
    if (v[CREATININE] > 1.5) points += v[AGE] > 75 ? 1.6 : 0.8;
    if (v[SMOKER] == CURRENT && v[WARD] == CARDIOLOGY) points += 1.2;
    if (v[WARD] == ONCOLOGY && v[HAEMOGLOBIN] < 11) points += 0.8;
    if (v[MEDICATIONS] >= 10 && v[DISCHARGE] == HOME) points += 1.0;
    if (v[DISCHARGE] == HOME && v[CHARLSON] >= 5) points += 1.0;
    if (v[DISCHARGE] == REHABILITATION) points -= 0.8;
    return points;
}

/* Whom or what a form leaves out. Three of the holes depend on the patient. */
static void draw_holes(hr_dice *dice, patient *p) {
    p->missing[HBA1C] = hr_dice_unit(dice) < (p->diabetic ? 0.15 : 0.8);
    p->missing[BMI] = hr_dice_unit(dice) < (p->emergency ? 0.25 : 0.05);
    p->missing[SMOKER] = hr_dice_unit(dice) < (p->value[SMOKER] == CURRENT ? 0.15 : 0.05);
    double blood = hr_dice_unit(dice);
    p->missing[HAEMOGLOBIN] = p->missing[SODIUM] = blood < (p->emergency ? 0.01 : 0.06);
    p->missing[CREATININE] = blood < (p->emergency ? 0.02 : 0.09);
}

static const double threshold = 4.6, spread = 1.2;

static void draw_patient(hr_dice *dice, patient *p) {
    p->frailty = hr_dice_normal(dice);
    draw_person(dice, p->frailty, p);
}

/* A stay, and what is found in it. */
static void draw_visit(hr_dice *dice, patient *p) {
    draw_stay(dice, p->frailty, p);
    draw_findings(dice, p->frailty, p);
    draw_holes(dice, p);
}

static double points_of(const patient *p) {
    return single_risks(p->value) + joint_risks(p);
}

/* ---- Times until the readmission ---- */

enum { EARLY_DAYS = 30, FOLLOWED_LEAST = 30, FOLLOWED_MOST = 730 };

/* The first day on which it comes about, which on each day has this probability, and on the first 30 days
 * `early` times as much; a day after the last if it does not. Pr(day > d) is the product of what is left. */
static int64_t draw_day(hr_dice *dice, double daily, double early) {
    const double u = hr_dice_unit(dice);
    double left = 1;
    int64_t day = 0;
    while (left > u && day <= FOLLOWED_MOST) left *= 1 - (++day <= EARLY_DAYS ? early : 1) * daily;
    return day;
}

static void write_time(hr_dice *dice, const patient *p, hr_csv_writer *csv_writer) {
    const double *v = p->value, risk = 1 + above(points_of(p), 0);
    const double leaves = 0.0002 * (1 + v[CHARLSON]) + (v[DISCHARGE] == NURSING_HOME ? 0.001 : 0);
    const int64_t readmission = draw_day(dice, 0.00006 * risk * risk, p->emergency ? 4 : 2);
    const int64_t study = FOLLOWED_LEAST + (int64_t)hr_dice_below(dice, FOLLOWED_MOST - FOLLOWED_LEAST + 1);
    const int64_t away = draw_day(dice, leaves, 1), end = study < away ? study : away;
    hr_csv_writer_fixed(csv_writer, readmission <= end ? readmission : end, 0);
    hr_csv_writer_fixed(csv_writer, readmission <= end, 0);
}

/* ---- The table ---- */

static void write_visit(const hr_plan *plan, hr_dice *dice, const patient *p, hr_csv_writer *csv_writer) {
    for (int i = 0; i < COLUMNS; i++) {
        static const double units[] = {1, 10, 100};
        if (p->missing[i])
            hr_csv_writer_text(csv_writer, "");
        else if (columns[i].values[0])
            hr_csv_writer_text(csv_writer, columns[i].values[(int)p->value[i]]);
        else
            hr_csv_writer_fixed(csv_writer, hr_nearest(p->value[i] * units[columns[i].decimals]),
                                columns[i].decimals);
    }
    if (plan->options->times)
        write_time(dice, p, csv_writer);
    else
        hr_csv_writer_text(csv_writer,
                           points_of(p) + spread * hr_dice_normal(dice) > threshold ? "yes" : "no");
}

/* The next visit of the patient whose visits are being written, or the first of the next one. */
static const patient *next_visit(hr_plan *plan) {
    patient *p = plan->patient;
    if (!p->visits_left) {
        uint64_t number = p->number;
        *p = (patient){.number = number + 1};
        draw_patient(&plan->dice, p);
        p->visits_left = 1 + hr_dice_below(&plan->dice, plan->options->visits);
    }
    p->visits_left--;
    draw_visit(&plan->dice, p);
    return p;
}

static void write_row(hr_plan *plan, hr_csv_writer *csv_writer) {
    hr_dice *dice = &plan->dice;
    if (plan->options->visits) {
        const patient *p = next_visit(plan);
        hr_csv_writer_fixed(csv_writer, (int64_t)p->number, 0);
        write_visit(plan, dice, p, csv_writer);
        return;
    }
    patient p = {.emergency = false};
    draw_patient(dice, &p);
    draw_visit(dice, &p);
    write_visit(plan, dice, &p, csv_writer);
}

static bool prepare_hospital(hr_plan *plan) {
    plan->patient = hr_arena_alloc(plan->arena, 1, sizeof *plan->patient);
    return plan->patient != NULL;
}

static void write_hospital_header(const hr_plan *plan, hr_csv_writer *csv_writer) {
    if (plan->options->visits) hr_csv_writer_text(csv_writer, "patient_id");
    for (int i = 0; i < COLUMNS; i++) hr_csv_writer_text(csv_writer, columns[i].name);
    if (plan->options->times) hr_csv_writer_text(csv_writer, "followed");
    hr_csv_writer_text(csv_writer, "readmitted");
}

static void add_hospital_schema(const hr_plan *plan, hr_buffer *yaml) {
    hr_buffer_text(yaml, "# Discharges of an invented hospital. Bounds and lists are those of its forms; "
                         "none was read from the records.\n"
                         "hedgerow-schema: 1\nlabel:\n");
    hr_buffer_text(yaml, plan->options->times
                             ? "  time: \"followed\"\n  kind: time\n  event: \"readmitted\"\n"
                               "  intervals: [30, 90, 180, 365]\n"
                             : "  name: \"readmitted\"\n  kind: classes\n  values: [\"no\", \"yes\"]\n");
    hr_buffer_text(yaml, "features:\n");
    for (int i = 0; i < COLUMNS; i++) {
        hr_buffer_format(yaml, "  - name: \"%s\"\n", columns[i].name);
        if (!columns[i].values[0]) {
            hr_buffer_format(yaml, "    kind: number\n    low: %d\n    high: %d\n%s", columns[i].low,
                             columns[i].high, columns[i].decimals ? "" : "    integer: true\n");
            continue;
        }
        hr_buffer_text(yaml, "    kind: category\n    values: [");
        for (int k = 0; columns[i].values[k]; k++)
            hr_buffer_format(yaml, "%s\"%s\"", k ? ", " : "", columns[i].values[k]);
        hr_buffer_text(yaml, "]\n");
    }
    hr_buffer_text(yaml, plan->options->visits
                             ? "# What is protected is a patient with all visits, not one visit.\n"
                               "unit: \"patient_id\"\n"
                             : "unit: record\n");
}

const hr_generator_steps hr_generate_hospital = {
    .highest = {.visits = VISITS_MAX, .times = 1},
    .name = "hospital",
    .prepare = prepare_hospital,
    .header = write_hospital_header,
    .row = write_row,
    .schema = add_hospital_schema,
};
