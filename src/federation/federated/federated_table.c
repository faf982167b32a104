/* The methods of jobs of several owners. */
#include "federation/federated/federated_method.h"

#include "tables/schema/schema.h"

#include <stdio.h>
#include <string.h>

static const hr_federated_method *const table[] = {
    &hr_federated_inprivate, &hr_federated_hedge,      &hr_federated_id3,   &hr_federated_average,
    &hr_federated_simfl,     &hr_federated_evaluation, &hr_federated_bounds};

const hr_federated_method *hr_federated_method_named(const void *name, size_t size, hr_mode mode) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *own = table[i]->method->info.name;
        if (strlen(own) != size || memcmp(own, name, size) != 0) continue;
        return mode == HR_MODE_PAPER && table[i]->paper ? table[i]->paper : table[i];
    }
    return NULL;
}

hr_status hr_federated_check_unit(const hr_federated_method *method, bool paper, const hr_schema *schema,
                                  hr_error *err) {
    char what[80];
    if (method->persons && !paper) return HR_OK;
    snprintf(what, sizeof what, "a job of method %s%s", method->method->info.name,
             method->persons ? " in mode paper" : "");
    return hr_schema_refuse_unit(schema, what,
                                 method->assemble ? "use the method hedge in mode sound"
                                                  : "give tables with one record of each person",
                                 err);
}

void hr_federated_defaults(hr_fit_options *options) {
    const hr_federated_method *method =
        hr_federated_method_named(options->method, strlen(options->method), options->mode);
    if (method) method->defaults(options);
}
