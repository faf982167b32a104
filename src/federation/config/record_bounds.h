/* Public bounds of how many records an owner of a job has, as job files write them: 2000..8000. */
#ifndef HR_FEDERATION_CONFIG_RECORD_BOUNDS_H
#define HR_FEDERATION_CONFIG_RECORD_BOUNDS_H

#include "federation/config/fields.h"
#include "federation/protocol/beginning.h"

/* least <= most <= HR_RECORD_BOUND_MAX; most 0: nothing is known. */
typedef struct hr_record_bounds {
    uint64_t least, most;
} hr_record_bounds;

/* The bounds in a node of that key. Fails: FORMAT (line, column). */
HR_MUST_CHECK hr_status hr_record_bounds_read(const hr_fields *reader, const hr_yaml_node *node,
                                              hr_record_bounds *out);

/* Those of each owner, in order, from a mapping of owners to mappings with the key `records`, or empty ones,
 * for which `usual` holds. The mapping's keys were read as names. Owner: *out lives in the arena. Fails:
 * FORMAT (line, column), MEMORY. */
HR_MUST_CHECK hr_status hr_record_bounds_read_owners(const hr_fields *reader, const hr_yaml_node *owners,
                                                     const hr_record_bounds *usual,
                                                     const hr_record_bounds **out);

#endif
