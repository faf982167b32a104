#include "bins_file.h"

#include "interrupt.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

hr_status bins_file_open(bins_file *file, const hr_schema *schema, const char *path,
                         const hr_bin_options *options, hr_error *err) {
    const size_t size = strlen(path) + sizeof ".new";
    *file = (bins_file){.unfinished = malloc(size)};
    if (file->unfinished == NULL) return fail_io(err, path, "cannot be written", "close other programs");
    snprintf(file->unfinished, size, "%s.new", path);
    interrupt_hold();
    const hr_status status = hr_binner_open(schema, path, options, &file->binner, err);
    if (status == HR_OK && !interrupt_remember(file->unfinished)) abort();
    interrupt_release();
    return status;
}

void bins_file_close(bins_file *file) {
    hr_binner_free(file->binner);
    interrupt_hold();
    interrupt_forget(file->unfinished);
    interrupt_release();
    free(file->unfinished);
}
