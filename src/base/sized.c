#include "base/sized.h"

#include "base/fail.h"

#include <string.h>

hr_status hr_sized_check(const hr_sized *kind, const void *given, hr_error *err) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < kind->min)
        return hr_fail(err, HR_E_ARGUMENT, kind->remedy, "the options were not initialised");
    if (size <= kind->size) return HR_OK;
    return hr_fail(err, HR_E_ARGUMENT, "use the library that the program's headers came with, or a newer one",
                   "the options are of a newer version of the library: they have %zu bytes, here it is %zu",
                   size, kind->size);
}

hr_status hr_sized_take(const hr_sized *kind, const void *given, void *out, hr_error *err) {
    size_t size;
    hr_status status = hr_sized_check(kind, given, err);
    if (status) return status;
    memcpy(&size, given, sizeof size);
    memcpy(out, given, size);
    memcpy(out, &kind->size, sizeof kind->size);
    return HR_OK;
}
