/* Binned caches: no file crashes the reader, nor training on what it lets through. Each input is mapped as it
 * is, and once more with checksums that fit: only what they do not tell is met then. */
#include "tables.h"
#include "tables/data/cell_file.h"

#include <hedgerow/fit.h>
#include <hedgerow/model.h>
#include <unistd.h>

static void train_on(const hr_data *data, uint32_t bins) {
    hr_fit_options options;
    hr_model *model = NULL;
    CHECK(hr_fit_options_init(&options, "gbdt", HR_MODE_SOUND, NULL) == HR_OK);
    options.edges = HR_EDGES_PUBLIC;
    options.bins = bins;
    options.trees = 1;
    options.threads = 1;
    CHECK(hr_fit(data, &options, &model, NULL) == HR_OK);
    hr_model_free(model);
}

static void map_input(const hr_schema *schema, const uint8_t *bytes, size_t size) {
    char path[] = "/tmp/hedgerow-fuzz-XXXXXX";
    hr_data *data = NULL;
    hr_error err = {0};
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    hr_status status = hr_data_map(schema, path, 1, &data, &err);
    CHECK((status == HR_OK) == (data != NULL));
    if (status) check_error(&err, status);
    if (data) train_on(data, (uint32_t)hr_cell_get(bytes + 24, 4));
    hr_data_free(data);
    close(file);
    unlink(path);
}

/* Where the header says that they are, if all of that is there. */
static void mend_checksums(uint8_t *bytes, size_t size) {
    hr_cell_header header;
    if (size < HR_CELL_HEADER || hr_cell_header_read(bytes, &header, NULL)) return;
    const hr_cell_layout l = hr_cell_layout_of(&header);
    if (l.size != size) return;
    for (size_t s = 0; s < l.segments; s++) {
        const size_t begin = s * HR_CELL_SEGMENT, count = hr_cell_segment_rows(s, (size_t)header.rows);
        uint8_t *sums = bytes + l.checksums + s * (header.features + 1) * 8;
        for (size_t f = 0; f < header.features; f++)
            hr_cell_put(sums + 8 * f, hr_cell_checksum(bytes + l.cells + f * l.stride + begin, count), 8);
        hr_cell_put(sums + 8 * header.features, hr_cell_checksum(bytes + l.labels + begin * 8, count * 8), 8);
    }
    hr_cell_put(bytes + 56, 0, 8);
    hr_cell_put(bytes + 56, hr_cell_checksum(bytes, l.labels), 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    hr_schema *schema = fuzz_schema("{name: y, kind: number, low: -1, high: 2}");
    uint8_t *mended = malloc(size + 1);
    CHECK(mended);
    memcpy(mended, bytes, size);
    map_input(schema, mended, size);
    mend_checksums(mended, size);
    map_input(schema, mended, size);
    free(mended);
    hr_schema_free(schema);
    return 0;
}
