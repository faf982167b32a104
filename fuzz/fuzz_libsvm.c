/* LIBSVM, and the guess of a table's format: no input crashes, reading is a function of the bytes, and every
 * value is what the schema allows. */
#include "tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    hr_schema *schema = fuzz_schema("{name: y, kind: number, low: -1, high: 2}");
    fuzz_read(schema, HR_FORMAT_LIBSVM, bytes, size);
    fuzz_read(schema, HR_FORMAT_AUTO, bytes, size);
    hr_schema_free(schema);
    return 0;
}
