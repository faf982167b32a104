/* The command-line tool with a notebook at the gate: every exact sum and score that it is handed, line by
 * line, in the file HR_TRACE. It is linked so that calls of the gate arrive here first (ld's --wrap);
 * everything else is the tool itself.
 *
 * HR_REPLAY names the notebook of another run. Then the gate is given that run's exact values instead of this
 * one's, and as noise comes from a seed here, it releases what it released then: whatever else differs
 * between two runs on neighbouring tables was learned from a record past the gate.
 *
 * Coins that share records out come from streams of their own, one draw a record or person. A run whose table
 * lacks a record, or a person, that the other run's has tosses its coin and leaves it out (HR_GAP_RECORDS,
 * HR_GAP_PERSONS), so that the coins of all others are the same. HR_RECORDS is added to the first count of
 * records, which plans the run: a small table is trained on as a large one would be. */
#include "fit/start.h"
#include "privacy/gate.h"
#include "trees/tree/parts.h"

#include <pthread.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif

enum { LINE_MAX_BYTES = 1 << 20, GATES_MAX = 256, DIVERGED = 99 };

typedef struct notebook {
    FILE *made, *replayed;
    bool counted; /* HR_RECORDS was added */
    int64_t more_records;
    uint64_t streams;                /* calls for random bytes */
    const hr_gate *gates[GATES_MAX]; /* in the order in which they were opened; an address may come again */
    size_t gate_count;
    char line[LINE_MAX_BYTES];
} notebook;

static notebook book;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static _Noreturn void stop(const char *why) {
    fprintf(stderr, "traced: %s\n", why);
    exit(DIVERGED);
}

static FILE *open_named(const char *variable, const char *mode) {
    const char *name = getenv(variable);
    FILE *file = name ? fopen(name, mode) : NULL;
    if (name && !file) stop(variable);
    return file;
}

/* Under mpirun no other rank than the first has a gate. */
static void open_book(void) {
    const char *more = getenv("HR_RECORDS");
    if (book.made) return;
    book.made = open_named("HR_TRACE", "w");
    book.replayed = open_named("HR_REPLAY", "r");
    book.more_records = more ? strtoll(more, NULL, 10) : 0;
    if (!book.made) stop("HR_TRACE names no file");
}

/* ---- Streams ---- */

static const char *name_of_fixed(void) {
    return "fixed";
}

static uint32_t fixed_number(void) {
    uint32_t number;
    randombytes_buf(&number, sizeof number);
    return number;
}

/* Every call has a block of its own of one stream. */
static void fixed_bytes(void *const out, const size_t size) {
    unsigned char seed[randombytes_SEEDBYTES] = {0};
    pthread_mutex_lock(&one_at_a_time);
    const uint64_t call = book.streams++;
    pthread_mutex_unlock(&one_at_a_time);
    memcpy(seed, &call, sizeof call);
    randombytes_buf_deterministic(out, size, seed);
}

static randombytes_implementation fixed_random = {
    .implementation_name = name_of_fixed, .random = fixed_number, .buf = fixed_bytes};

/* Noise, coins and keys: before anything asks for some. */
__attribute__((constructor)) static void fix_random(void) {
    randombytes_set_implementation(&fixed_random);
}

/* A stream for the coins of one table. */
static hr_csprng *coins_of(hr_csprng *csprng) {
    hr_csprng *own = NULL;
    hr_error err = {0};
    if (hr_csprng_open_seeded(hr_csprng_u64(csprng), &own, &err)) stop(err.message);
    return own;
}

/* Of how many records, or persons, at which place the other run has coins, and this one has none: "PLACE
 * COUNT". */
typedef struct gap {
    size_t at, count;
} gap;

static gap gap_named(const char *variable) {
    const char *text = getenv(variable);
    unsigned long at = 0, count = 0;
    if (text && sscanf(text, "%lu %lu", &at, &count) != 2) stop(variable);
    return (gap){at, count};
}

/* Parts of all but those in the gap. */
static hr_status parts_without(const hr_parts *all, size_t rows, gap left_out, hr_parts *out, hr_error *err) {
    uint32_t *part_of = malloc((rows + 1) * sizeof *part_of);
    if (!part_of) stop("out of memory");
    for (size_t j = 0; j < all->count; j++)
        for (size_t i = all->begin[j]; i < all->begin[j + 1]; i++) {
            const size_t row = all->rows[i];
            if (row < left_out.at) part_of[row] = (uint32_t)j;
            if (row >= left_out.at + left_out.count) part_of[row - left_out.count] = (uint32_t)j;
        }
    const hr_status status = hr_parts_given(part_of, rows, all->count, out, err);
    free(part_of);
    return status;
}

hr_status __real_hr_parts_drawn(hr_csprng *csprng, size_t rows, const double *weights, size_t count,
                                hr_parts *out, hr_error *err);
hr_status __wrap_hr_parts_drawn(hr_csprng *csprng, size_t rows, const double *weights, size_t count,
                                hr_parts *out, hr_error *err) {
    const gap left_out = gap_named("HR_GAP_RECORDS");
    hr_parts all = {0};
    hr_csprng *own = coins_of(csprng);
    hr_status status = __real_hr_parts_drawn(own, rows + left_out.count, weights, count, &all, err);
    if (!status) status = parts_without(&all, rows, left_out, out, err);
    hr_parts_done(&all);
    hr_csprng_close(own);
    return status;
}

/* Persons behind the gap keep the numbers that they have in the other run. */
hr_status __real_hr_parts_drawn_by_persons(hr_csprng *csprng, const hr_person_rows *of, const double *weights,
                                           size_t count, hr_parts *out, hr_error *err);
hr_status __wrap_hr_parts_drawn_by_persons(hr_csprng *csprng, const hr_person_rows *of, const double *weights,
                                           size_t count, hr_parts *out, hr_error *err) {
    const gap left_out = gap_named("HR_GAP_PERSONS");
    uint32_t *persons = malloc((of->rows + 1) * sizeof *persons);
    if (!persons) stop("out of memory");
    for (size_t i = 0; i < of->rows; i++)
        persons[i] = of->persons[i] + (of->persons[i] >= left_out.at ? (uint32_t)left_out.count : 0);
    hr_csprng *own = coins_of(csprng);
    const hr_status status =
        __real_hr_parts_drawn_by_persons(own, &(hr_person_rows){persons, of->rows}, weights, count, out, err);
    hr_csprng_close(own);
    free(persons);
    return status;
}

hr_status __real_hr_person_sample_draw(const hr_data *data, const hr_fit_options *options, hr_csprng *csprng,
                                       hr_person_sample *out, hr_error *err);
hr_status __wrap_hr_person_sample_draw(const hr_data *data, const hr_fit_options *options, hr_csprng *csprng,
                                       hr_person_sample *out, hr_error *err) {
    hr_csprng *own = coins_of(csprng);
    const hr_status status = __real_hr_person_sample_draw(data, options, own, out, err);
    hr_csprng_close(own);
    return status;
}

/* ---- The gate ---- */

hr_status __real_hr_gate_new(hr_privacy_measure measure, hr_units budget, hr_csprng *csprng, hr_gate **out,
                             hr_error *err);
hr_status __wrap_hr_gate_new(hr_privacy_measure measure, hr_units budget, hr_csprng *csprng, hr_gate **out,
                             hr_error *err) {
    const hr_status status = __real_hr_gate_new(measure, budget, csprng, out, err);
    if (status) return status;
    pthread_mutex_lock(&one_at_a_time);
    if (book.gate_count == GATES_MAX) stop("too many gates");
    book.gates[book.gate_count++] = *out;
    pthread_mutex_unlock(&one_at_a_time);
    return HR_OK;
}

static size_t number_of(const hr_gate *gate) {
    size_t number = book.gate_count;
    while (number && book.gates[number - 1] != gate) number--;
    if (!number) stop("a gate that was not opened");
    return number;
}

/* "kind gate permit what tree level group part cost sensitivity measure count", separated by tabs; values
 * follow. */
static size_t write_head(const hr_gate *gate, hr_permit permit, const char *kind, size_t count, char *out,
                         size_t size) {
    size_t lines;
    const hr_release *line = &hr_gate_releases(gate, &lines)[permit.line];
    return (size_t)snprintf(out, size, "%s\t%zu\t%zu\t%s\t%lld\t%lld\t%llu\t%llu\t%llu\t%llu\t%d\t%zu", kind,
                            number_of(gate), permit.line, line->what, (long long)line->tree,
                            (long long)line->level, (unsigned long long)line->group,
                            (unsigned long long)line->part, (unsigned long long)line->cost,
                            (unsigned long long)line->sensitivity, (int)hr_gate_privacy_measure(gate), count);
}

/* Where the values of the other run's next call begin; it must be of the same kind, place and cost. */
static char *replayed_values(const char *head, size_t head_size) {
    if (!fgets(book.line, sizeof book.line, book.replayed)) stop("the other run released less");
    if (strncmp(book.line, head, head_size) != 0 || book.line[head_size] != '\t')
        stop("the other run released something else");
    return book.line + head_size;
}

/* The first count of all records, in the line's own unit. */
static bool counts_all(const hr_release *line) {
    const bool counts = strcmp(line->what, "record count") == 0 || strcmp(line->what, "sum of weights") == 0;
    const bool first = counts && !book.counted;
    book.counted = book.counted || counts;
    return first;
}

/* Notes the values, and gives what the gate is to see instead. Owner: the caller. */
static hr_exact *note(const hr_gate *gate, hr_permit permit, const char *kind, const hr_exact *in,
                      size_t count) {
    static char head[1000];
    size_t lines;
    const hr_release *line = &hr_gate_releases(gate, &lines)[permit.line];
    hr_exact *seen = malloc((count + 1) * sizeof *seen);
    if (!seen) stop("out of memory");
    open_book();
    const size_t size = write_head(gate, permit, kind, count, head, sizeof head);
    const int64_t more = counts_all(line) ? book.more_records * (int64_t)line->sensitivity : 0;
    fputs(head, book.made);
    for (size_t i = 0; i < count; i++) {
        seen[i].unpaid = in[i].unpaid + (i ? 0 : more);
        fprintf(book.made, "\t%lld", (long long)seen[i].unpaid);
    }
    fputc('\n', book.made);
    fflush(book.made);
    char *at = book.replayed ? replayed_values(head, size) : NULL;
    for (size_t i = 0; at && i < count; i++) seen[i].unpaid = strtoll(at, &at, 10);
    return seen;
}

void __real_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out);
void __wrap_hr_gate_sums(hr_gate *gate, hr_permit permit, const hr_exact *in, size_t count, hr_noisy *out) {
    pthread_mutex_lock(&one_at_a_time);
    hr_exact *seen = note(gate, permit, "sums", in, count);
    pthread_mutex_unlock(&one_at_a_time);
    __real_hr_gate_sums(gate, permit, seen, count, out);
    free(seen);
}

void __real_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out);
void __wrap_hr_gate_share(hr_gate *gate, hr_permit permit, const hr_exact *in, hr_mask *mask, size_t count,
                          uint64_t *out) {
    pthread_mutex_lock(&one_at_a_time);
    hr_exact *seen = note(gate, permit, "share", in, count);
    pthread_mutex_unlock(&one_at_a_time);
    __real_hr_gate_share(gate, permit, seen, mask, count, out);
    free(seen);
}

size_t __real_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count);
size_t __wrap_hr_gate_choose(hr_gate *gate, hr_permit permit, hr_exact *scores, size_t count) {
    pthread_mutex_lock(&one_at_a_time);
    hr_exact *seen = note(gate, permit, "choice", scores, count);
    pthread_mutex_unlock(&one_at_a_time);
    const size_t chosen = __real_hr_gate_choose(gate, permit, seen, count);
    free(seen);
    return chosen;
}
