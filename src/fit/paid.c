/* The one place where what a budget paid for is finished. */
#include "fit/paid.h"

#include "base/fail.h"
#include "base/file.h"
#include "models/model/model.h"
#include "privacy/ledger/spend.h"
#include "tables/schema/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096, OWN_RIGHTS = 0600 };

static hr_status render_model(const void *output, char **text, hr_error *err) {
    return hr_model_render(output, text, err);
}

static hr_status rewrite_model(const char *text, char **again, hr_error *err) {
    const hr_status status = hr_model_rewrite_json(text, strlen(text), again, err);
    return status ? hr_fail_at(err, status, "model", 0, 0, NULL) : HR_OK;
}

const hr_paid_kind hr_paid_model = {"model", render_model, rewrite_model};

static hr_status render_paid_schema(const void *output, char **text, hr_error *err) {
    return hr_schema_render(output, text, err);
}

static hr_status rewrite_schema(const char *text, char **again, hr_error *err) {
    hr_schema *schema = NULL;
    hr_status status = hr_schema_parse(text, strlen(text), "schema", &schema, err);
    if (!status) status = hr_schema_render(schema, again, err);
    hr_schema_free(schema);
    return status;
}

const hr_paid_kind hr_paid_schema = {"schema", render_paid_schema, rewrite_schema};

#define CHARGED "; what was charged stays charged, nothing was sent, and "
#define KEPT CHARGED "the file has the text, for you alone"
#define LOST CHARGED "the text is lost"

/* The error of an output that cannot be read, and where its text is. Without memory to read it nothing is
 * known against it. */
static hr_status keep_unread(const hr_paid_kind *kind, const char *text, const char *path,
                             const hr_error *why, hr_error *err) {
    static const char *const remedies[][2] = {
        {"please report this error of the library" LOST, "please report this error of the library" KEPT},
        {"give the run more memory" LOST,
         "give the run more memory, or read the file where there is more" KEPT}};
    const bool kept = path && !hr_file_replace(path, "text", OWN_RIGHTS, text, strlen(text), NULL);
    hr_fail(err, why->status, remedies[why->status == HR_E_MEMORY][kept],
            "the %s that was paid for cannot be read back: %s", kind->name, why->message);
    return hr_fail_at(err, why->status, kept ? path : NULL, why->line, why->column, why->field);
}

hr_status hr_paid_check(const hr_paid_kind *kind, const void *output, const char *path, hr_error *err) {
    char *text = NULL, *again = NULL;
    hr_error why = {0};
    hr_status status = kind->render(output, &text, err);
    if (status) return status;
    status = kind->rewrite(text, &again, &why);
    if (!status && strcmp(text, again) != 0)
        status = hr_fail(&why, HR_E_FORMAT, "", "what was read is not what was written");
    if (status) keep_unread(kind, text, path, &why, err);
    hr_text_free(text);
    hr_text_free(again);
    return status;
}

hr_status hr_paid_commit(const hr_paid_kind *kind, const void *output, hr_ledger *ledger, int64_t entry,
                         hr_error *err) {
    char path[PATH];
    if (!ledger) return hr_paid_check(kind, output, NULL, err);
    const int size =
        snprintf(path, sizeof path, "%s.entry-%" PRId64 ".unread", hr_ledger_path(ledger), entry);
    hr_status status = hr_paid_check(kind, output, size < PATH ? path : NULL, err);
    return status ? status : hr_ledger_commit(ledger, entry, err);
}
