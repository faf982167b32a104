#include "job/round_records.h"

#include "base/fail.h"
#include "data/records.h"
#include "job/rounds.h"

#include <stdlib.h>
#include <string.h>

static void free_one(hr_round_records *r) {
    if (!r) return;
    hr_data_free(r->records);
    free(r->scores);
    free(r->added);
    free(r);
}

void hr_round_records_free(hr_round_records *list) {
    while (list) {
        hr_round_records *next = list->next;
        free_one(list);
        list = next;
    }
}

static hr_status take_records(const hr_data *data, const hr_party_job *job, size_t round, hr_data **out, hr_error *err) {
    size_t rows = hr_data_rows(data), count = 0;
    uint8_t *round_of = malloc(rows + 1);
    uint32_t *picked = malloc((rows + 1) * sizeof *picked);
    hr_status status = round_of && picked ? HR_OK : hr_fail_memory(err);
    if (!status) status = hr_rounds_of(data, job->record->key, job->course->rounds, round_of, err);
    for (size_t i = 0; !status && i < rows; i++)
        if (round_of[i] == round) picked[count++] = (uint32_t)i;
    if (!status) *out = hr_data_take(data, picked, count);
    if (!status && !*out) status = hr_fail_memory(err);
    free(round_of);
    free(picked);
    return status;
}

hr_status hr_round_records_make(const hr_data *data, const hr_party_job *job, size_t round, hr_round_records **out, hr_error *err) {
    hr_round_records *r = calloc(1, sizeof *r);
    if (!r) return hr_fail_memory(err);
    memcpy(r->job, job->record->id, HR_JOURNAL_ID);
    r->round = round;
    hr_status status = take_records(data, job, round, &r->records, err);
    if (!status) {
        r->scores = calloc(hr_data_rows(r->records) + 1, sizeof *r->scores);
        r->added = calloc(hr_course_places(job->course), sizeof *r->added);
        if (!r->scores || !r->added) status = hr_fail_memory(err);
    }
    if (status)
        free_one(r);
    else
        *out = r;
    return status;
}

/* What points to those of the job; to NULL, if there are none. */
static hr_round_records **link_of(hr_round_records **list, const uint8_t *job) {
    while (*list && memcmp((*list)->job, job, HR_JOURNAL_ID) != 0) list = &(*list)->next;
    return list;
}

void hr_round_records_drop(hr_round_records **list, const uint8_t *job) {
    hr_round_records **link = link_of(list, job), *r = *link;
    if (!r) return;
    *link = r->next;
    free_one(r);
}

hr_status hr_round_records_find(hr_round_records **list, const hr_data *data, const hr_party_job *job, size_t round, hr_round_records **out,
                                hr_error *err) {
    hr_round_records *r = *link_of(list, job->record->id);
    if (!r || r->round != round) {
        hr_round_records_drop(list, job->record->id);
        hr_status status = hr_round_records_make(data, job, round, &r, err);
        if (status) return status;
        r->next = *list;
        *list = r;
    }
    *out = r;
    return HR_OK;
}

void hr_round_records_add(hr_round_records *r, const hr_course *course, size_t end) {
    for (size_t p = 0; p < end; p++) {
        const hr_paid_tree *tree = hr_course_tree(course, p);
        if (r->added[p] || !tree) continue;
        hr_tree_add(&tree->tree, r->records, r->scores);
        r->added[p] = true;
    }
}
