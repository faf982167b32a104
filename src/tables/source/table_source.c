#include "tables/source/table_source.h"

#include "base/fail.h"
#include "tables/source/contents.h"
#include "tables/source/database_address.h"
#include "tables/source/decompress.h"
#include "tables/source/origins.h"
#include "tables/source/postgres.h"
#include "tables/source/query.h"
#include "tables/source/sqlite.h"

#include <string.h>

enum { DEPTH_MAX = 4 }; /* of compression within compression */

static hr_status refuse_place(const hr_table_place *place, hr_error *err) {
    return place->query ? hr_fail(err, HR_E_ARGUMENT, "leave the query out, or give databases alone",
                                  "a query is for a database, and this is a file")
                        : hr_fail(err, HR_E_ARGUMENT,
                                  "say what to read from it: a file with one SQL query (--query, or 'query' "
                                  "in an owner file)",
                                  "a database needs a query");
}

/* Puts the stream, which has taken the source over, in its place, and reads the beginning. */
static hr_status read_inner(hr_byte_stream *stream, hr_byte_source *source, hr_contents *contents,
                            hr_error *err) {
    hr_status status = hr_byte_source_open_stream(source, stream, err);
    if (!status) status = hr_byte_source_more(source, err);
    if (!status) *contents = hr_contents_find(source->at, (size_t)(source->end - source->at));
    return status;
}

static hr_status decompress(const hr_table_place *place, hr_contents *contents, hr_byte_source *source,
                            hr_error *err) {
    hr_byte_stream *stream;
    const char *outer = contents->name;
    const hr_codec *codec = contents->codec();
    if (!codec) return hr_contents_refuse(contents, place->formats, err);
    hr_status status = hr_decompress_open(codec, outer, source, &stream, err);
    if (!status) status = read_inner(stream, source, contents, err);
    if (status || (contents->kind != HR_CONTENTS_SQLITE && contents->kind != HR_CONTENTS_PARQUET))
        return status;
    return hr_fail(err, HR_E_FORMAT, "decompress the file first", "a %s file within a %s file",
                   contents->name, outer);
}

/* Compressed data may be of compressed data, and some are of themselves. */
static hr_status decompress_all(const hr_table_place *place, hr_contents *contents, hr_byte_source *source,
                                hr_error *err) {
    hr_status status = HR_OK;
    for (int depth = 0; !status && contents->kind == HR_CONTENTS_COMPRESSED; depth++)
        status = depth < DEPTH_MAX ? decompress(place, contents, source, err)
                                   : hr_fail(err, HR_E_LIMIT, "decompress the file first",
                                             "more than %d compressed files within each other", DEPTH_MAX);
    return status;
}

/* Of contents that say by themselves how they are written. */
static hr_status check_unwritten(const hr_table_place *place, const hr_contents *contents, hr_error *err) {
    if (!place->as_written) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "leave --quote and --skip-lines out",
                   "a file of the format %s says by itself how it is written", contents->name);
}

/* Puts the text that the source stands for in its place. */
static hr_status unwrap(const hr_table_place *place, hr_contents contents, hr_byte_source *source,
                        hr_error *err) {
    hr_byte_stream *stream;
    hr_status status = decompress_all(place, &contents, source, err);
    if (!status && contents.kind == HR_CONTENTS_CONVERTED) status = check_unwritten(place, &contents, err);
    if (!status && contents.kind == HR_CONTENTS_CONVERTED) {
        status = contents.convert(source, &stream, err);
        if (!status) status = read_inner(stream, source, &contents, err);
    }
    if (status || contents.kind == HR_CONTENTS_TEXT) return status;
    return hr_contents_refuse(&contents, place->formats, err);
}

/* A database in a file, which the query reads. */
static hr_status open_sqlite(const hr_table_place *place, hr_origins *origins, hr_byte_source *source,
                             hr_error *err) {
    hr_query query = {0};
    hr_byte_stream *stream;
    if (strcmp(place->path, "-") == 0)
        return hr_fail(err, HR_E_ARGUMENT, "give the path of the file",
                       "an SQLite database cannot be read from standard input");
    hr_status status = hr_query_read(place->query, &query, err);
    if (!status) status = hr_origins_add_file(origins, place, source->file, query.text, err);
    if (!status) status = hr_sqlite_open(place->path, &query, &stream, err);
    hr_query_done(&query);
    if (status) return status;
    hr_byte_source_done(source);
    return hr_byte_source_open_stream(source, stream, err);
}

static hr_status open_parquet(const hr_table_place *place, const hr_contents *contents,
                              hr_byte_source *source, hr_error *err) {
    hr_byte_stream *stream;
    hr_status status = check_unwritten(place, contents, err);
    if (!status) status = hr_parquet_open(source->file, &place->columns, place->groups, &stream, err);
    if (status) return status;
    hr_byte_source_done(source);
    return hr_byte_source_open_stream(source, stream, err);
}

static hr_status open_file(const hr_table_place *place, hr_origins *origins, hr_byte_source *source,
                           hr_error *err) {
    hr_status status = hr_byte_source_open(source, place->path, err);
    if (!status && !place->query) status = hr_origins_add_file(origins, place, source->file, NULL, err);
    if (!status) status = hr_byte_source_more(source, err);
    if (status) return status;
    hr_contents contents = hr_contents_find(source->at, (size_t)(source->end - source->at));
    const bool is_database = contents.kind == HR_CONTENTS_SQLITE;
    if (is_database != (place->query != NULL)) return refuse_place(place, err);
    if (is_database) return open_sqlite(place, origins, source, err);
    return contents.kind == HR_CONTENTS_PARQUET ? open_parquet(place, &contents, source, err)
                                                : unwrap(place, contents, source, err);
}

static hr_status open_postgres(const hr_table_place *place, hr_origins *origins, hr_byte_source *source,
                               hr_error *err) {
    hr_query query = {0};
    hr_byte_stream *stream;
    if (!place->query) return refuse_place(place, err);
    hr_status status = hr_query_read(place->query, &query, err);
    if (!status) status = hr_origins_add_server(origins, place->path, query.text, err);
    if (!status) status = hr_postgres_open(place->path, &query, &stream, err);
    hr_query_done(&query);
    return status ? status : hr_byte_source_open_stream(source, stream, err);
}

hr_status hr_table_source_fail_at(const hr_table_place *place, const char *name, hr_status status,
                                  hr_error *err) {
    char shown[HR_DATABASE_SHOWN];
    hr_database_show(place->path, shown);
    return hr_fail_at(err, status, name ? name : shown, 0, 0, NULL);
}

hr_status hr_table_source_open(const hr_table_place *place, hr_origins *origins, hr_byte_source *out,
                               hr_error *err) {
    *out = (hr_byte_source){.file = -1};
    hr_status status = hr_database_is_address(place->path) ? open_postgres(place, origins, out, err)
                                                           : open_file(place, origins, out, err);
    if (!status && origins) status = hr_origins_read(origins, out, err);
    const bool names_query = err && err->file[0];
    return status && !names_query ? hr_table_source_fail_at(place, NULL, status, err) : status;
}
