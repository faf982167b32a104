#include "tables/readers/read_options.h"

#include "base/fail.h"

hr_status hr_read_options_take(const hr_read_options *given, hr_read_options *out, hr_error *err) {
    static const hr_sized kind = {sizeof *out, sizeof out->size, "start from HR_READ_OPTIONS_INIT"};
    *out = (hr_read_options)HR_READ_OPTIONS_INIT;
    hr_status status = given ? hr_sized_take(&kind, given, out, err) : HR_OK;
    if (status) return status;
    if (out->format < HR_FORMAT_AUTO || out->format > HR_FORMAT_LIBSVM)
        return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no format %d", (int)out->format);
    if (out->separator < HR_SEPARATOR_AUTO || out->separator > HR_SEPARATOR_PIPE)
        return hr_fail(err, HR_E_ARGUMENT, kind.remedy, "there is no separator %d", (int)out->separator);
    if (out->threads < 0)
        return hr_fail(err, HR_E_ARGUMENT, "give 0 for as many as there are processors", "%d threads",
                       out->threads);
    return HR_OK;
}

hr_format hr_read_format(const hr_read_options *options) {
    return options->format == HR_FORMAT_AUTO && (options->separator || options->query) ? HR_FORMAT_CSV
                                                                                       : options->format;
}
