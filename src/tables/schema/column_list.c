#include "tables/schema/column_list.h"

#include "base/fail.h"
#include "tables/schema/keys.h"

#include <string.h>

static const char EXPECTED[] =
    "write names of columns, such as age, dose; of a name with a comma a list such "
    "as ['age, years', dose]";

static hr_status refuse_text(const char *text, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT, EXPECTED, "'%.60s' is no list of columns", text);
}

static hr_status check_names(const hr_yaml_node *list, const char *text, hr_error *err) {
    if (!list->child) return refuse_text(text, err);
    for (const hr_yaml_node *name = list->child; name; name = name->next) {
        if (name->kind != HR_YAML_SCALAR || !*name->text) return refuse_text(text, err);
        for (const hr_yaml_node *other = list->child; other != name; other = other->next)
            if (!strcmp(name->text, other->text))
                return hr_fail(err, HR_E_ARGUMENT, "name it once", "the column '%.60s' is named twice",
                               name->text);
    }
    return HR_OK;
}

hr_status hr_column_list_read(const char *text, hr_arena *arena, const hr_yaml_node **out, hr_error *err) {
    const char *const inner = text + strspn(text, " ");
    hr_buffer line = {0};
    hr_buffer_format(&line, *inner == '[' ? "%s" : "[%s]", inner);
    hr_status status =
        line.failed ? hr_fail_memory(err) : hr_yaml_parse(line.bytes, line.size, arena, out, err);
    if (status == HR_E_FORMAT || status == HR_E_LIMIT) status = refuse_text(text, err);
    if (!status)
        status = (*out)->kind == HR_YAML_SEQUENCE ? check_names(*out, text, err) : refuse_text(text, err);
    hr_buffer_done(&line);
    return status;
}

hr_status hr_column_list_write(const char *text, char out[HR_COLUMN_LIST_TEXT], hr_error *err) {
    const hr_yaml_node *list = NULL;
    hr_buffer written = {0};
    hr_arena *arena = hr_arena_new();
    hr_status status = arena ? hr_column_list_read(text, arena, &list, err) : hr_fail_memory(err);
    if (!status) hr_keys_line(&written, list);
    if (!status && written.failed) status = hr_fail_memory(err);
    if (!status && written.size >= HR_COLUMN_LIST_TEXT)
        status = hr_fail(err, HR_E_ARGUMENT, "name fewer columns", "the list is longer than %d bytes",
                         HR_COLUMN_LIST_TEXT - 1);
    if (!status) memcpy(out, written.bytes, written.size + 1);
    hr_buffer_done(&written);
    hr_arena_free(arena);
    return status;
}
