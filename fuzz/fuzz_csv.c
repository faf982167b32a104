/* CSV, and the two ways to read a number in it: no input crashes, reading is a function of the bytes, every
 * value is what the schema allows, and the quick and the general conversion give the bits that the C library
 * gives. */
#include "base/text/number_fast.h"
#include "tables.h"

enum { LONGEST_NUMBER = 1500 };

/* Makes the number parsers read what stands between two separators. */
static void check_number(const char *text, size_t size) {
    char copy[LONGEST_NUMBER + HR_NUMBER_FAST_REACH + 1] = {0};
    double general = 0, quick = 0;
    if (size > LONGEST_NUMBER) return;
    memcpy(copy, text, size);
    hr_number_status status = hr_number_parse(copy, size, &general);
    const char *end = hr_number_fast(copy, &quick);
    bool all = end == copy + size;
    CHECK(!end || (end > copy && end <= copy + size));
    if (status == HR_NUMBER_NONE) {
        CHECK(!all);
        return;
    }
    double expected = strtod(copy, NULL);
    CHECK((status == HR_NUMBER_LARGE) == (isinf(expected) != 0));
    if (status == HR_NUMBER_OK) CHECK(memcmp(&general, &expected, sizeof expected) == 0);
    if (all) CHECK(memcmp(&quick, &expected, sizeof expected) == 0);
}

static void check_numbers(const char *text, size_t size) {
    for (size_t from = 0, to = 0; to <= size; to++) {
        if (to < size && text[to] && !strchr(",\n\r\" ", text[to])) continue;
        check_number(text + from, to - from);
        from = to + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    hr_schema *schema = fuzz_schema("{name: y, kind: classes, values: [\"0\", \"1\", yes]}");
    fuzz_read(schema, HR_FORMAT_CSV, bytes, size);
    check_numbers((const char *)bytes, size);
    hr_schema_free(schema);
    return 0;
}
