/* Where two schemas differ, in words. */
#ifndef HR_TABLES_SCHEMA_SCHEMA_DIFFERENCE_H
#define HR_TABLES_SCHEMA_SCHEMA_DIFFERENCE_H

#include <hedgerow/schema.h>

enum { HR_SCHEMA_DIFFERENCE = 184 }; /* bytes of a text, with its NUL */

/* What a text calls the sides: "at the owner", "in the job". */
typedef struct hr_schema_sides {
    const char *one, *other; /* at most 20 bytes */
} hr_schema_sides;

/* The first difference between two schemas: the column, what one has and what the other has. Names and values
 * are cut, and show '?' for control characters. Returns false, and leaves the text alone, if there is none
 * (hr_schema_same). */
bool hr_schema_difference(const hr_schema *one, const hr_schema *other, const hr_schema_sides *sides,
                          char text[HR_SCHEMA_DIFFERENCE]);

/* The same, but the other may lack features that `one` has; those that both have stand in the same order. If
 * there is no difference, features[f] is the place in `one` of feature f of `other`; as many as `other` has.
 */
bool hr_schema_difference_of_part(const hr_schema *one, const hr_schema *other, const hr_schema_sides *sides,
                                  char text[HR_SCHEMA_DIFFERENCE], size_t *features);

/* How many features of `whole` `part` lacks, and their names, which end with a number if there are too many.
 */
size_t hr_schema_left_out(const hr_schema *whole, const hr_schema *part, char text[HR_SCHEMA_DIFFERENCE]);

#endif
