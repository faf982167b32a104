/* The public way in: opens the source, looks which format it is, and hands over to that format's reader. */
#include "base/fail.h"
#include "base/sized.h"
#include "data/csv.h"
#include "data/libsvm.h"

static hr_status read_source(const hr_schema *schema, hr_byte_source *source, const hr_read_options *options,
                             hr_data **out, hr_error *err) {
    hr_format format = options->format;
    hr_status status = hr_libsvm_find_format(source, &format, err);
    if (status) return status;
    return format == HR_FORMAT_LIBSVM ? hr_libsvm_read(schema, source, options->label_optional, out, err)
                                      : hr_csv_read(schema, source, options->label_optional, out, err);
}

/* NULL stands for the defaults. */
static hr_status take_options_table_file(const hr_read_options *given, hr_read_options *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, sizeof out->size, "start from HR_READ_OPTIONS_INIT"};
    *out = (hr_read_options)HR_READ_OPTIONS_INIT;
    hr_status status = given ? hr_sized_take(&kind, given, out, err) : HR_OK;
    if (status || (out->format >= HR_FORMAT_AUTO && out->format <= HR_FORMAT_LIBSVM)) return status;
    return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no format %d", (int)out->format);
}

hr_status hr_data_read(const hr_schema *schema, const char *path, const hr_read_options *options,
                       hr_data **out, hr_error *err) {
    hr_read_options ours;
    hr_byte_source source;
    hr_status status = take_options_table_file(options, &ours, err);
    if (status) return status;
    status = hr_byte_source_open(&source, path, err);
    if (!status) status = read_source(schema, &source, &ours, out, err);
    hr_byte_source_done(&source);
    return status ? hr_fail_at(err, status, ours.name ? ours.name : path, 0, 0, NULL) : HR_OK;
}

hr_status hr_data_parse(const hr_schema *schema, const char *bytes, size_t size,
                        const hr_read_options *options, hr_data **out, hr_error *err) {
    hr_read_options ours;
    hr_byte_source source;
    hr_status status = take_options_table_file(options, &ours, err);
    if (status) return status;
    status = hr_byte_source_open_memory(&source, bytes, size, err);
    if (!status) status = read_source(schema, &source, &ours, out, err);
    hr_byte_source_done(&source);
    return status ? hr_fail_at(err, status, ours.name, 0, 0, NULL) : HR_OK;
}
