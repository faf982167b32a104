/* The public way in: opens the source, looks which format it is, and hands over to that format's reader. */
#include "base/fail.h"
#include "data/csv.h"
#include "data/libsvm.h"

static hr_status read_source(const hr_schema *schema, hr_source *source, const hr_read_options *options, hr_data **out, hr_error *err) {
    hr_format format = options->format;
    hr_status status = hr_libsvm_find_format(source, &format, err);
    if (status) return status;
    return format == HR_FORMAT_LIBSVM ? hr_libsvm_read(schema, source, options->label_optional, out, err)
                                      : hr_csv_read(schema, source, options->label_optional, out, err);
}

static hr_status check_options(const hr_read_options *options, hr_error *err) {
    if (options->size != sizeof *options || options->format < HR_FORMAT_AUTO || options->format > HR_FORMAT_LIBSVM) {
        return hr_fail(err, HR_E_ARGUMENT, "start from HR_READ_OPTIONS_INIT", "bad options for reading a table");
    }
    return HR_OK;
}

hr_status hr_data_read(const hr_schema *schema, const char *path, const hr_read_options *options, hr_data **out, hr_error *err) {
    static const hr_read_options usual = HR_READ_OPTIONS_INIT;
    if (!options) options = &usual;
    hr_source source;
    hr_status status = check_options(options, err);
    if (status) return status;
    status = hr_source_open(&source, path, err);
    if (!status) status = read_source(schema, &source, options, out, err);
    hr_source_done(&source);
    return status ? hr_fail_at(err, status, options->name ? options->name : path, 0, 0, NULL) : HR_OK;
}

hr_status hr_data_parse(const hr_schema *schema, const char *bytes, size_t size, const hr_read_options *options, hr_data **out,
                        hr_error *err) {
    static const hr_read_options usual = HR_READ_OPTIONS_INIT;
    if (!options) options = &usual;
    hr_source source;
    hr_status status = check_options(options, err);
    if (status) return status;
    status = hr_source_open_memory(&source, bytes, size, err);
    if (!status) status = read_source(schema, &source, options, out, err);
    hr_source_done(&source);
    return status ? hr_fail_at(err, status, options->name, 0, 0, NULL) : HR_OK;
}
