/* The bytes that a compressed source stands for. */
#ifndef HR_TABLES_SOURCE_DECOMPRESS_H
#define HR_TABLES_SOURCE_DECOMPRESS_H

#include "base/byte_source.h"
#include "tables/source/codec.h"

/* Reads `compressed` from its beginning, and takes it over: *compressed is empty afterwards. `name` of the
 * format in messages. Owner: the caller frees *out by its `free`. Reading fails: FORMAT (truncated, damaged),
 * LIMIT, IO, MEMORY. Fails: MEMORY; *compressed is unchanged then. */
HR_MUST_CHECK hr_status hr_decompress_open(const hr_codec *codec, const char *name,
                                           hr_byte_source *compressed, hr_byte_stream **out, hr_error *err);

#endif
