/* ARFF, the format of Weka and of OpenML, as the CSV that it stands for. */
#ifndef HR_TABLES_SOURCE_ARFF_H
#define HR_TABLES_SOURCE_ARFF_H

#include "base/byte_source.h"

/* Whether text that begins with these bytes is ARFF: its first line that is neither empty nor a comment
 * declares a relation. */
bool hr_arff_looks(const char *bytes, size_t size);

/* Reads `arff` from its beginning, and takes it over: *arff is empty afterwards. The stream gives one line of
 * CSV for each line of ARFF, so that both have the same numbers: an empty one, the names of the columns in
 * place of @data, or a record. Owner: the caller frees *out by its `free`. Reading fails: FORMAT (line),
 * LIMIT, IO, MEMORY. Fails: MEMORY; *arff is unchanged then. */
HR_MUST_CHECK hr_status hr_arff_open(hr_byte_source *arff, hr_byte_stream **out, hr_error *err);

#endif
