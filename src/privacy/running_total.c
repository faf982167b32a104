#include "privacy/running_total.h"

#include "base/fail.h"

#include <stdlib.h>

void hr_running_total_done(hr_running_total *running_total) {
    free(running_total->parts.slots);
    free(running_total->groups.slots);
    *running_total = (hr_running_total){0};
}

static size_t mix_slot_key(uint64_t group, uint64_t part) {
    uint64_t h = group * 0x9e3779b97f4a7c15u + part;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of a key, or the free one where it belongs. NULL in a table without slots. */
static hr_running_total_slot *find_slot(const hr_running_total_table *table, uint64_t group, uint64_t part) {
    if (!table->size) return NULL;
    for (size_t i = mix_slot_key(group, part);; i++) {
        hr_running_total_slot *slot = &table->slots[i & (table->size - 1)];
        if (!slot->used || (slot->group == group && slot->part == part)) return slot;
    }
}

static hr_units slot_cost_of(const hr_running_total_table *table, uint64_t group, uint64_t part) {
    const hr_running_total_slot *slot = find_slot(table, group, part);
    return slot && slot->used ? slot->cost : 0;
}

static void set_cost(hr_running_total_table *table, uint64_t group, uint64_t part, hr_units cost) {
    hr_running_total_slot *slot = find_slot(table, group, part);
    if (!slot->used) table->used++;
    *slot = (hr_running_total_slot){group, part, cost, true};
}

static hr_status grow_table(hr_running_total_table *table, hr_error *err) {
    if (2 * (table->used + 1) <= table->size) return HR_OK;
    hr_running_total_table larger = {.size = table->size ? 2 * table->size : 64};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots) return hr_fail_memory(err);
    for (size_t i = 0; i < table->size; i++) {
        const hr_running_total_slot *slot = &table->slots[i];
        if (slot->used) set_cost(&larger, slot->group, slot->part, slot->cost);
    }
    free(table->slots);
    *table = larger;
    return HR_OK;
}

hr_status hr_running_total_reserve(hr_running_total *running_total, hr_error *err) {
    hr_status status = grow_table(&running_total->parts, err);
    return status ? status : grow_table(&running_total->groups, err);
}

/* What the group costs once `cost` is added to the part. */
static hr_units group_cost(const hr_running_total *running_total, uint64_t group, uint64_t part,
                           hr_units cost) {
    hr_units of_part = slot_cost_of(&running_total->parts, group, part) + cost;
    hr_units costliest = slot_cost_of(&running_total->groups, group, 0);
    return of_part > costliest ? of_part : costliest;
}

hr_units hr_running_total_would_be(const hr_running_total *running_total, uint64_t group, uint64_t part,
                                   hr_units cost) {
    return running_total->total - slot_cost_of(&running_total->groups, group, 0) +
           group_cost(running_total, group, part, cost);
}

void hr_running_total_add(hr_running_total *running_total, uint64_t group, uint64_t part, hr_units cost) {
    hr_units of_group = group_cost(running_total, group, part, cost);
    running_total->total = hr_running_total_would_be(running_total, group, part, cost);
    set_cost(&running_total->parts, group, part, slot_cost_of(&running_total->parts, group, part) + cost);
    set_cost(&running_total->groups, group, 0, of_group);
}
