/* Records dealt out to owners. */
#ifndef BENCH_OWNERS_H
#define BENCH_OWNERS_H

#include <hedgerow/hedgerow.h>

/* In turns: record i goes to owner i mod `owners`. Owner: the caller frees each table. */
void bench_deal(const hr_data *all, hr_data **tables, size_t owners);

#endif
