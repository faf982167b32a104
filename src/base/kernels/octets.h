/* Bins of a few features, record by record: an octet is the eight bytes that a record has for eight features,
 * so vectors take several records at once, and all features of them. */
#ifndef HR_BASE_KERNELS_OCTETS_H
#define HR_BASE_KERNELS_OCTETS_H

#include <stdint.h>

enum { HR_OCTET = 8, HR_OCTET_TILE = 32, HR_OCTETS_AHEAD = 32 };

/* Of each feature's bins: the least, the least of (bin - 1) mod 256, and the largest; so the least but 0 is
 * known, too. Of no records: 255, 255, 0. */
typedef struct hr_octet_ranges {
    uint8_t least[HR_OCTET], before[HR_OCTET], largest[HR_OCTET];
} hr_octet_ranges;

/* Of each feature: the `count` bins from `first` on. */
typedef struct hr_octet_cuts {
    uint8_t first[HR_OCTET], count[HR_OCTET];
} hr_octet_cuts;

/* Of one feature, byte `lane` of an octet. */
typedef struct hr_octet_cut {
    uint8_t lane, first, count;
} hr_octet_cut;

#endif
