/* Every rank compares digests of what decides how a record is coded with those of rank 0: a sum over records
 * that are coded in two ways is about no table. */
#include "trees/cluster/same_table.h"

#include "base/buffer.h"
#include "base/fail.h"
#include "privacy/crypto/digest.h"
#include "tables/formats/formats.h"

#include <stdlib.h>
#include <string.h>

static const char domain[] = "hedgerow ranks read";

/* ---- What is compared ---- */

/* With its NUL, so that two lists of texts are equal only if the texts are. */
static void add_whole_text(hr_buffer *out, const char *text) {
    hr_buffer_add(out, text, strlen(text) + 1);
}

static void add_texts(hr_buffer *out, const char *const *texts, size_t count) {
    hr_buffer_format(out, "%zu ", count);
    for (size_t i = 0; i < count; i++) add_whole_text(out, texts[i]);
}

static hr_status digest_of(hr_buffer *facts, hr_digest *out, hr_error *err) {
    const bool failed = facts->failed;
    if (!failed) *out = hr_digest_of(domain, facts->bytes, facts->size);
    hr_buffer_done(facts);
    return failed ? hr_fail_memory(err) : HR_OK;
}

/* Not how messages call a file, nor what makes reading quicker or watches it. */
static hr_status digest_reading(const hr_cluster_table *table, hr_digest *out, hr_error *err) {
    hr_read_options o;
    hr_buffer facts = {0};
    hr_status status = hr_read_options_take(table->options, &o, err);
    if (status) return status;
    hr_buffer_format(&facts, "%d %d %d %d %d %u %d %d %d ", (int)o.format, o.label_optional, (int)o.separator,
                     o.skip_unlabelled, (int)o.quote, (unsigned)o.skip_lines, o.allow_equal_files,
                     o.misfits != NULL, o.without_exposure);
    add_texts(&facts, o.drop, o.drop_count);
    add_texts(&facts, o.kept, o.kept_count);
    return digest_of(&facts, out, err);
}

static hr_status digest_files(const hr_cluster_table *table, hr_digest *out, hr_error *err) {
    hr_buffer facts = {0};
    add_texts(&facts, table->paths, table->count);
    return digest_of(&facts, out, err);
}

static hr_status digest_schema(const hr_schema *schema, hr_digest *out, hr_error *err) {
    char *text = NULL;
    hr_status status = hr_schema_render(schema, &text, err);
    if (!status) *out = hr_digest_of(domain, text, strlen(text));
    free(text);
    return status;
}

/* ---- Comparing ---- */

static const struct {
    hr_status status;
    const char *what, *remedy;
} facts[] = {
    {HR_E_ARGUMENT, "reads with other options than", "give all ranks the same options of reading the table"},
    {HR_E_ARGUMENT, "names other files than", "name the same files at all ranks, in the same order"},
    {HR_E_ARGUMENT, "has another schema than", "give all ranks the same schema file"},
    {HR_E_IO, "found another table than", "give all ranks the same files, and let nobody write to them"}};
enum { READING, FILES, SCHEMA, CONTENTS };

/* own: `count` digests, of facts from `first` on, if `status` says that they were made. */
static hr_status compare_with_rank_0(hr_cluster *c, const hr_digest *own, size_t first, size_t count,
                                     hr_status status, hr_error *err) {
    hr_digest others[CONTENTS] = {0};
    status = hr_cluster_agree(c, status, err);
    if (status) return status;
    memcpy(others, own, count * sizeof *own);
    status = hr_rank_link_broadcast(c->link, 0, others, count * sizeof *own, err);
    for (size_t i = 0; !status && i < count; i++) {
        if (memcmp(&own[i], &others[i], sizeof *own) == 0) continue;
        status = hr_fail(err, facts[first + i].status, facts[first + i].remedy, "rank %zu %s rank 0",
                         hr_cluster_rank(c), facts[first + i].what);
    }
    return hr_cluster_agree(c, status, err);
}

hr_status hr_rank_same_table(hr_cluster *c, const hr_schema *schema, const hr_cluster_table *table,
                             hr_error *err) {
    hr_digest own[CONTENTS] = {0};
    hr_status status = digest_reading(table, &own[READING], err);
    if (!status) status = digest_files(table, &own[FILES], err);
    if (!status) status = digest_schema(schema, &own[SCHEMA], err);
    return compare_with_rank_0(c, own, READING, CONTENTS, status, err);
}

hr_status hr_rank_same_schema(hr_cluster *c, const hr_schema *schema, hr_error *err) {
    hr_digest own = {0};
    return compare_with_rank_0(c, &own, SCHEMA, 1, digest_schema(schema, &own, err), err);
}

hr_status hr_rank_same_contents(hr_cluster *c, const hr_origins *origins, hr_error *err) {
    hr_digest own = {0};
    hr_buffer texts = {0};
    hr_buffer_format(&texts, "%zu ", origins->count);
    for (size_t i = 0; i < origins->count; i++) {
        const hr_origin *file = &origins->items[i];
        hr_buffer_format(&texts, "%d ", file->has_content);
        if (file->has_content) hr_buffer_add(&texts, &file->content, sizeof file->content);
    }
    return compare_with_rank_0(c, &own, CONTENTS, 1, digest_of(&texts, &own, err), err);
}
