/* What records answer to ID3's questions: exact counts, for the gate. */
#ifndef HR_TREES_RECORDS_ID3_RECORDS_H
#define HR_TREES_RECORDS_ID3_RECORDS_H

#include "trees/records/id3_ask.h"

/* Divides the records as the question says and writes ask->count counts to `out`. A record more changes them
 * by a vector of length at most ask->line.sensitivity (id3_records.proof.md). Questions come in the order of
 * the machine (id3_machine.h), which the source was prepared and begun for. Fails: as the source. */
HR_MUST_CHECK hr_status hr_id3_records_answer(hr_stats_source *source, const hr_id3_ask *ask, hr_exact *out,
                                              hr_error *err);

#endif
