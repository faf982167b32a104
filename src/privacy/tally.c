#include "privacy/tally.h"

#include "base/fail.h"

#include <stdlib.h>

void hr_tally_done(hr_tally *tally) {
    free(tally->parts.slots);
    free(tally->groups.slots);
    *tally = (hr_tally){0};
}

static size_t mix(uint64_t group, uint64_t part) {
    uint64_t h = group * 0x9e3779b97f4a7c15u + part;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of a key, or the free one where it belongs. NULL in a table without slots. */
static hr_tally_slot *find(const hr_tally_table *table, uint64_t group, uint64_t part) {
    if (!table->size) return NULL;
    for (size_t i = mix(group, part);; i++) {
        hr_tally_slot *slot = &table->slots[i & (table->size - 1)];
        if (!slot->used || (slot->group == group && slot->part == part)) return slot;
    }
}

static hr_units cost_of(const hr_tally_table *table, uint64_t group, uint64_t part) {
    const hr_tally_slot *slot = find(table, group, part);
    return slot && slot->used ? slot->cost : 0;
}

static void set_cost(hr_tally_table *table, uint64_t group, uint64_t part, hr_units cost) {
    hr_tally_slot *slot = find(table, group, part);
    if (!slot->used) table->used++;
    *slot = (hr_tally_slot){group, part, cost, true};
}

static hr_status grow(hr_tally_table *table, hr_error *err) {
    if (2 * (table->used + 1) <= table->size) return HR_OK;
    hr_tally_table larger = {.size = table->size ? 2 * table->size : 64};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots) return hr_fail_memory(err);
    for (size_t i = 0; i < table->size; i++) {
        const hr_tally_slot *slot = &table->slots[i];
        if (slot->used) set_cost(&larger, slot->group, slot->part, slot->cost);
    }
    free(table->slots);
    *table = larger;
    return HR_OK;
}

hr_status hr_tally_reserve(hr_tally *tally, hr_error *err) {
    hr_status status = grow(&tally->parts, err);
    return status ? status : grow(&tally->groups, err);
}

/* What the group costs once `cost` is added to the part. */
static hr_units group_cost(const hr_tally *tally, uint64_t group, uint64_t part, hr_units cost) {
    hr_units of_part = cost_of(&tally->parts, group, part) + cost;
    hr_units costliest = cost_of(&tally->groups, group, 0);
    return of_part > costliest ? of_part : costliest;
}

hr_units hr_tally_would_be(const hr_tally *tally, uint64_t group, uint64_t part, hr_units cost) {
    return tally->total - cost_of(&tally->groups, group, 0) + group_cost(tally, group, part, cost);
}

void hr_tally_add(hr_tally *tally, uint64_t group, uint64_t part, hr_units cost) {
    hr_units of_group = group_cost(tally, group, part, cost);
    tally->total = hr_tally_would_be(tally, group, part, cost);
    set_cost(&tally->parts, group, part, cost_of(&tally->parts, group, part) + cost);
    set_cost(&tally->groups, group, 0, of_group);
}
