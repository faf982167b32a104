/* The bootstrap, for training without privacy: as many draws with replacement as there are records. */
#ifndef HR_TREES_RECORDS_BOOTSTRAP_H
#define HR_TREES_RECORDS_BOOTSTRAP_H

#include "privacy/crypto/csprng.h"

/* times[i]: how often record i of `count` comes up in `count` uniform draws; count < 2^32. */
void hr_bootstrap(hr_csprng *csprng, size_t count, uint32_t *times);

#endif
