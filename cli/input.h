/* Reading what commands are given; "-" is standard input everywhere. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <hedgerow/hedgerow.h>

/* The words of --format, in the order of hr_format. */
#define FORMAT_WORDS "auto|csv|libsvm"

hr_status input_schema(const char *path, hr_schema **out, hr_error *err);
hr_status input_model(const char *path, hr_model **out, hr_error *err);
hr_status input_data(const hr_schema *schema, const char *path, size_t format, bool label_optional,
                     hr_data **out, hr_error *err);

/* Whether at most one of the paths (NULL: not given) is standard input; else says so as a usage error of the
 * command. */
bool input_only_once(const char *command, const char *first, const char *second);

#endif
