/* Proposing schemas: whatever the table, a proposal parses, awaits review, and fits the table if its labels
 * are complete. */
#include "check.h"

#include <hedgerow/data.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char path[] = "fuzz-propose-XXXXXX", *yaml = NULL;
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
    hr_status status = hr_schema_infer(path, HR_FORMAT_AUTO, "y", &yaml, NULL);
    CHECK((status == HR_OK) == (yaml != NULL));
    if (yaml) {
        CHECK(hr_schema_parse(yaml, strlen(yaml), "proposal", &schema, NULL) == HR_OK);
        CHECK(hr_schema_reviewed(schema, NULL) == HR_E_POLICY);
        status = hr_data_read(schema, path, NULL, &data, NULL);
        CHECK(status == HR_OK || strstr(yaml, "no label"));
    }
    hr_data_free(data);
    hr_schema_free(schema);
    hr_text_free(yaml);
    unlink(path);
    return 0;
}
