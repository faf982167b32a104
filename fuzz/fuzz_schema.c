/* Schema files: no input crashes, and what is read renders to text that reads back to the same facts and
 * renders alike. */
#include "tables/schema/schema.h"

#include "check.h"

#include <string.h>

static void check_round_trip(const hr_schema *schema) {
    char *text = NULL, *again = NULL;
    hr_schema *back = NULL;
    CHECK(hr_schema_render(schema, &text, NULL) == HR_OK);
    CHECK(hr_schema_parse(text, strlen(text), "rendered", &back, NULL) == HR_OK);
    CHECK(hr_schema_same(schema, back));
    CHECK(hr_schema_reviewed(schema, NULL) == hr_schema_reviewed(back, NULL));
    CHECK(hr_schema_render(back, &again, NULL) == HR_OK);
    CHECK(strcmp(text, again) == 0);
    hr_schema_free(back);
    hr_text_free(text);
    hr_text_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    hr_schema *schema = NULL;
    hr_error err = {0};
    char message[2000];
    hr_status status = hr_schema_parse((const char *)bytes, size, "fuzz", &schema, &err);
    CHECK((status == HR_OK) == (schema != NULL));
    if (status)
        CHECK(err.status == status && err.message[0] &&
              hr_error_format(&err, message, sizeof message) < sizeof message);
    if (schema) check_round_trip(schema);
    hr_schema_free(schema);
    return 0;
}
