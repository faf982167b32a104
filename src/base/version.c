#include "base/buffer.h"

#include <hedgerow/hedgerow.h>
#include <stdlib.h>

const char *hr_version(void) {
    return HR_VERSION;
}

void hr_text_free(char *text) {
    free(text);
}
