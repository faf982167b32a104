#include "federation/course.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static const char tree_domain[] = "hedgerow tree 1", empty_domain[] = "hedgerow empty place 1";

hr_status hr_course_begin(hr_course *course, hr_error *err) {
    course->places = calloc(hr_course_places(course) + 1, sizeof *course->places);
    course->arena = hr_arena_new();
    if (course->places && course->arena) return HR_OK;
    hr_course_done(course);
    return hr_fail_memory(err);
}

void hr_course_done(hr_course *course) {
    for (size_t p = 0; course->places && p < hr_course_places(course); p++) free(course->places[p].tree.at);
    free(course->places);
    hr_arena_free(course->arena);
    course->places = NULL;
    course->arena = NULL;
}

size_t hr_course_places(const hr_course *course) {
    return course->owner_count * course->rounds;
}

size_t hr_course_owner(const hr_course *course, size_t place) {
    return course->owners[place % course->owner_count];
}

size_t hr_course_open(const hr_course *course) {
    size_t place = 0;
    while (place < hr_course_places(course) && course->places[place].state != HR_PLACE_OPEN) place++;
    return place;
}

size_t hr_course_position(const hr_course *course, size_t member) {
    size_t i = 0;
    while (i < course->owner_count && course->owners[i] != member) i++;
    return i;
}

/* ---- Trees ---------------------------------------------------------------------------------------------------------------- */

/* A tree is decoded and checked once, and kept. */
static hr_status read_tree(const hr_course *course, size_t place, ProtobufCBinaryData tree, hr_paid_tree *out, hr_error *err) {
    hr_tree_place where = {course->job, hr_course_owner(course, place), place};
    return hr_wire_tree_unpack(course->view->roster, &where, &course->rules, tree.data, tree.len, course->arena, out, err);
}

const hr_paid_tree *hr_course_tree(const hr_course *course, size_t place) {
    return course->places[place].state == HR_PLACE_TREE ? &course->places[place].decoded : NULL;
}

/* ---- This party's word ------------------------------------------------------------------------------------------------- */

static hr_status put_tree(hr_place *place, ProtobufCBinaryData tree, const hr_paid_tree *decoded, const uint8_t *signature, hr_error *err) {
    hr_bytes copy;
    hr_status status = hr_bytes_copy(tree.data, tree.len, &copy, err);
    if (status) return status;
    free(place->tree.at);
    place->tree = copy;
    place->decoded = *decoded;
    memcpy(place->signature, signature, HR_SIGNATURE_SIZE);
    place->state = HR_PLACE_TREE;
    return HR_OK;
}

static void put_empty(hr_place *place, const uint8_t *signature) {
    memcpy(place->signature, signature, HR_SIGNATURE_SIZE);
    place->state = HR_PLACE_EMPTY;
}

/* What the miner signs of a place: the job and its number. */
enum { EMPTY_BYTES = HR_JOB_BYTES + 4 };

static void empty_words(const hr_course *course, size_t place, uint8_t words[EMPTY_BYTES]) {
    memcpy(words, course->job.bytes, HR_JOB_BYTES);
    for (int i = 0; i < 4; i++) words[HR_JOB_BYTES + i] = (uint8_t)(place >> 8 * i);
}

hr_status hr_course_sign_tree(hr_course *course, size_t place, const uint8_t *tree, size_t size, hr_error *err) {
    uint8_t signature[HR_SIGNATURE_SIZE];
    hr_paid_tree decoded;
    ProtobufCBinaryData bytes = hr_data_of(tree, size);
    hr_status status = read_tree(course, place, bytes, &decoded, err);
    if (status) return status;
    hr_sign(course->view->identity, tree_domain, tree, size, signature);
    return put_tree(&course->places[place], bytes, &decoded, signature, err);
}

void hr_course_sign_empty(hr_course *course, size_t place) {
    uint8_t words[EMPTY_BYTES], signature[HR_SIGNATURE_SIZE];
    if (course->places[place].state == HR_PLACE_TREE) return;
    empty_words(course, place, words);
    hr_sign(course->view->identity, empty_domain, words, sizeof words, signature);
    put_empty(&course->places[place], signature);
}

/* ---- The words of others ------------------------------------------------------------------------------------------------ */

static hr_status refuse(const char *why, hr_error *err) {
    return hr_fail(err, HR_E_POLICY, "", "%s", why);
}

static bool signed_by(const hr_course *course, size_t member, const char *domain, const void *bytes, size_t size,
                      ProtobufCBinaryData signature) {
    return signature.len == HR_SIGNATURE_SIZE &&
           hr_signature_holds(&course->view->roster->members[member].key, domain, bytes, size, signature.data);
}

static hr_status check_empty(const hr_course *course, size_t place, ProtobufCBinaryData signature, hr_error *err) {
    uint8_t words[EMPTY_BYTES];
    if (place >= hr_course_places(course)) return refuse("the job has no such place", err);
    empty_words(course, place, words);
    bool holds = signed_by(course, course->miner, empty_domain, words, sizeof words, signature);
    return holds ? HR_OK : refuse("the miner did not say that this place stays empty", err);
}

hr_status hr_course_empty(hr_course *course, size_t place, ProtobufCBinaryData signature, hr_error *err) {
    hr_status status = check_empty(course, place, signature, err);
    if (!status && course->places[place].state == HR_PLACE_OPEN) put_empty(&course->places[place], signature.data);
    return status;
}

static hr_status check_tree(const hr_course *course, const Hedgerow__Place *place, hr_paid_tree *out, hr_error *err) {
    size_t owner = hr_course_owner(course, place->place);
    if (!signed_by(course, owner, tree_domain, place->tree.data, place->tree.len, place->signature))
        return refuse("a tree is not signed by the owner of its place", err);
    return read_tree(course, place->place, place->tree, out, err);
}

static hr_status check_place(const hr_course *course, const Hedgerow__Place *place, hr_paid_tree *out, hr_error *err) {
    if (place->place >= hr_course_places(course)) return refuse("the job has no such place", err);
    if (!place->tree.len) return check_empty(course, place->place, place->signature, err);
    return course->places[place->place].state == HR_PLACE_TREE ? HR_OK : check_tree(course, place, out, err);
}

static hr_status take_place(hr_course *course, const Hedgerow__Place *from, const hr_paid_tree *tree, hr_error *err) {
    hr_place *to = &course->places[from->place];
    if (to->state == HR_PLACE_TREE) return HR_OK;
    if (from->tree.len) return put_tree(to, from->tree, tree, from->signature.data, err);
    put_empty(to, from->signature.data);
    return HR_OK;
}

hr_status hr_course_merge(hr_course *course, const Hedgerow__Forest *forest, hr_error *err) {
    if (forest->n_places > hr_course_places(course)) return refuse("more places than the job has", err);
    hr_paid_tree *trees = calloc(forest->n_places + 1, sizeof *trees);
    if (!trees) return hr_fail_memory(err);
    hr_arena_mark mark = hr_arena_get_mark(course->arena);
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < forest->n_places; i++) status = check_place(course, forest->places[i], &trees[i], err);
    if (status) hr_arena_rewind(course->arena, mark);
    for (size_t i = 0; !status && i < forest->n_places; i++) status = take_place(course, forest->places[i], &trees[i], err);
    free(trees);
    return status;
}

/* ---- Telling others ----------------------------------------------------------------------------------------------------- */

hr_status hr_course_list(const hr_course *course, size_t from, size_t to, Hedgerow__Forest *out, hr_error *err) {
    Hedgerow__Place *storage = calloc(to - from + 1, sizeof *storage);
    out->places = calloc(to - from + 1, sizeof *out->places);
    out->n_places = 0;
    if (!storage || !out->places) {
        free(storage);
        free(out->places);
        out->places = NULL;
        return hr_fail_memory(err);
    }
    out->places[0] = storage; /* hr_course_unlist frees it, even from an empty list */
    for (size_t p = from; p < to; p++) {
        const hr_place *place = &course->places[p];
        if (place->state == HR_PLACE_OPEN) continue;
        Hedgerow__Place *wire = &storage[out->n_places];
        hedgerow__place__init(wire);
        wire->place = (uint32_t)p;
        wire->tree = hr_data_of(place->tree.at, place->state == HR_PLACE_TREE ? place->tree.size : 0);
        wire->signature = hr_data_of(place->signature, HR_SIGNATURE_SIZE);
        out->places[out->n_places++] = wire;
    }
    return HR_OK;
}

void hr_course_unlist(Hedgerow__Forest *forest) {
    if (!forest->places) return;
    free(forest->places[0]);
    free(forest->places);
    *forest = (Hedgerow__Forest)HEDGEROW__FOREST__INIT;
}
