/* Numbers as people write them: with a decimal comma, separated thousands, a sign of percent or currency. */
#ifndef HR_BASE_TEXT_NUMBER_FORMAT_H
#define HR_BASE_TEXT_NUMBER_FORMAT_H

#include "base/text/number.h"

#include <hedgerow/schema.h>

/* Whether numbers are written as hr_number_parse reads them. */
bool hr_number_format_plain(const hr_number_format *format);

/* Reads all of text[0..size). Groups of thousands have three digits, the first one to three and no zero
 * before them, and stand left of the decimal mark; a number without groups is read too. The symbol may be
 * absent; it stands before or behind the number, with or without blanks between; "-" may stand before the
 * symbol. A thousands mark of ' ' is also the no-break space (U+00A0, U+202F), one of '\'' also U+2019. The
 * symbol "%" does not divide by 100. */
hr_number_status hr_number_format_parse(const hr_number_format *format, const char *text, size_t size,
                                        double *value);

#endif
