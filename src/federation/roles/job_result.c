/* What came of a job, as text. */
#include "base/buffer.h"

#include <hedgerow/federation.h>
#include <stdlib.h>
#include <string.h>

void hr_job_result_free(hr_job_result *result) {
    hr_model_free(result->model);
    free(result->evaluation);
    if (result->bounded) hr_schema_free(result->bounded->schema);
    free(result->bounded);
    *result = (hr_job_result){0};
}

/* The statement as comments before the schema, wrapped at words. */
static void add_statement(hr_buffer *b, const char *statement) {
    enum { WIDTH = 100 };
    hr_buffer_text(b, "#");
    for (int used = 1; *statement;) {
        const int word = (int)strcspn(statement, " ");
        if (used + word >= WIDTH) hr_buffer_text(b, "\n#"), used = 1;
        hr_buffer_format(b, " %.*s", word, statement);
        used += word + 1;
        statement += word + strspn(statement + word, " ");
    }
    hr_buffer_text(b, "\n");
}

static hr_status render_schema(const hr_joint_schema *bounded, char **text, hr_error *err) {
    char *yaml = NULL;
    hr_buffer b = {0};
    hr_status status = hr_schema_render(bounded->schema, &yaml, err);
    if (status) return status;
    add_statement(&b, bounded->statement);
    hr_buffer_text(&b, yaml);
    hr_text_free(yaml);
    return hr_buffer_take(&b, text, err);
}

hr_status hr_job_result_render(const hr_job_result *result, char **text, hr_error *err) {
    if (result->model) return hr_model_render(result->model, text, err);
    if (result->evaluation) return hr_evaluation_render(result->evaluation, text, err);
    return render_schema(result->bounded, text, err);
}
