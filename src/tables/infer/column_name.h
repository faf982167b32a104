/* What a column's name says of it: whether it identifies persons or records, and common knowledge of its
 * bounds. Names are guessed from, never trusted: all of it awaits a person's review. */
#ifndef HR_TABLES_INFER_COLUMN_NAME_H
#define HR_TABLES_INFER_COLUMN_NAME_H

#include <stdbool.h>

typedef enum hr_name_meaning {
    HR_NAME_PLAIN,
    HR_NAME_PERSON,  /* which person a record is of, such as patient_id */
    HR_NAME_CONTACT, /* a direct identifier, such as phone */
    HR_NAME_RECORD,  /* some identifier or number of something, such as id or store_id */
    HR_NAME_GROUP    /* a word for persons, such as customer: their number, or a property of theirs */
} hr_name_meaning;

/* Bounds that hold for whatever has such a name. */
typedef struct hr_common_bounds {
    const char *words; /* of the name, in small letters, one after the other */
    double low, high;
    bool last; /* the name ends with the words; else they stand anywhere in it */
} hr_common_bounds;

hr_name_meaning hr_name_means(const char *name);

/* NULL: none are known. */
const hr_common_bounds *hr_name_bounds(const char *name);

#endif
