/* Texts about a model, for terminals and files. */
#ifndef HR_MODELS_MODEL_SHOW_H
#define HR_MODELS_MODEL_SHOW_H

#include "base/buffer.h"
#include "models/model/model.h"

/* Adds a text from outside, with a question mark for every control character: a name must not steer a
 * terminal. */
void hr_show_text(hr_buffer *buffer, const char *text);

/* How many characters a UTF-8 text has. */
size_t hr_show_width(const char *text, size_t size);

/* Adds `text` as lines of at most `width` characters (longer words stand alone), each between `before` and
 * `after`; the room up to `width` is filled with blanks if `after` is not just the end of the line. */
void hr_show_wrapped(hr_buffer *buffer, const char *text, size_t width, const char *before,
                     const char *after);

/* Adds what sends a record left at a split, such as "age <= 37.5 or missing", or a multiway split's feature
 * alone. At most `limit` categories are named. */
void hr_show_condition(hr_buffer *buffer, const hr_model *model, const hr_tree *tree, const hr_node *node,
                       size_t limit);

/* Adds how the interval of a model is corrected that has a correction, and what is promised of it. */
void hr_show_interval(hr_buffer *buffer, const hr_model *model);

/* Adds the statistics of columns of a model that holds some. */
void hr_show_statistics(hr_buffer *buffer, const hr_model *model);

#endif
