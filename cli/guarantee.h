/* What a model promises, as members of a JSON object: the same of every command that prints one. */
#ifndef CLI_GUARANTEE_H
#define CLI_GUARANTEE_H

#include "output.h"

#include <hedgerow/model.h>

/* private, epsilon, delta, epsilon_replace, delta_replace, unit, statement, promise; of owners who added
 * noisy sums up coalition, epsilon_owners, epsilon_everyone (null: nothing is promised) and conditions. */
void json_guarantee(json_writer *json, const hr_guarantee *guarantee);

/* start, and start_guarantee: what a record pays that is in the data of the start, too, with its conditions.
 */
void json_start(json_writer *json, const hr_model *model);

/* Two lines: how many rows trained, and where the model, or the file of statistics, is. */
void print_made(FILE *out, size_t rows, const char *path, const hr_model *model);

/* One line, of which `hedgerow show NAME` has the whole statement. covered: what the guarantee is of, such as
 * "the whole model". */
void print_privacy(FILE *out, const char *name, const hr_model *model, const char *covered);

#endif
