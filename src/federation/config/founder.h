/* The folder of a federation, as hr_federation_init made it, for the founder's other commands. */
#ifndef HR_FEDERATION_CONFIG_FOUNDER_H
#define HR_FEDERATION_CONFIG_FOUNDER_H

#include "federation/config/federation_file.h"
#include "federation/transport/nats.h"

typedef struct hr_founder {
    const char *folder;
    hr_federation_file federation;
    const char **names;    /* of the members */
    hr_nats_options admin; /* of the broker */
} hr_founder;

/* Owner: *out lives in the arena. Fails: IO, FORMAT (federation.yaml), MEMORY. */
HR_MUST_CHECK hr_status hr_founder_read(const char *folder, hr_arena *arena, hr_founder *out, hr_error *err);

/* "FOLDER/NAME". NULL when memory is short. */
const char *hr_founder_path(hr_arena *arena, const char *folder, const char *name);

#endif
