#include "tables/infer/infer_column.h"

#include <stddef.h>
#include <string.h>

enum { WORDS_SIZE = 160 }; /* bytes of a name that are looked at */

/* The more special name comes first: "day of week" before "day". Words of many meanings must end the name. */
static const hr_common_bounds common[] = {
    {"hours per week", 0, 168, HR_NAME_HAS, false},
    {"hours", 0, 168, HR_NAME_HAS, false},
    {"hour of day", 0, 24, HR_NAME_HAS, false},
    {"hour", 0, 24, HR_NAME_ENDS, false},
    {"day of year", 1, 366, HR_NAME_HAS, false},
    {"dayofyear", 1, 366, HR_NAME_HAS, false},
    {"day of week", 0, 7, HR_NAME_HAS, false},
    {"dayofweek", 0, 7, HR_NAME_HAS, false},
    {"weekday", 0, 7, HR_NAME_HAS, false},
    {"day", 1, 31, HR_NAME_ENDS, false},
    {"week", 0, 53, HR_NAME_ENDS, false},
    {"month", 1, 12, HR_NAME_ENDS, false},
    {"quarter", 1, 4, HR_NAME_ENDS, false},
    {"year", 1900, 2100, HR_NAME_HAS, false},
    {"minute", 0, 60, HR_NAME_ENDS, false},
    {"second", 0, 60, HR_NAME_ENDS, false},
    {"age", 0, 120, HR_NAME_HAS, false},
    {"percent", 0, 100, HR_NAME_HAS, false},
    {"percentage", 0, 100, HR_NAME_HAS, false},
    {"pct", 0, 100, HR_NAME_HAS, false},
    {"humidity", 0, 100, HR_NAME_HAS, false},
    {"spo2", 0, 100, HR_NAME_HAS, false},
    {"probability", 0, 1, HR_NAME_HAS, false},
    {"latitude", -90, 90, HR_NAME_HAS, true},
    {"lat", -90, 90, HR_NAME_ENDS, true},
    {"longitude", -180, 180, HR_NAME_HAS, true},
    {"lon", -180, 180, HR_NAME_ENDS, true},
    {"lng", -180, 180, HR_NAME_ENDS, true},
    {"long", -180, 180, HR_NAME_IS, true},
    {"heart rate", 0, 300, HR_NAME_HAS, false},
    {"pulse", 0, 300, HR_NAME_HAS, false},
    {"systolic", 0, 300, HR_NAME_HAS, false},
    {"diastolic", 0, 300, HR_NAME_HAS, false},
    {"bmi", 10, 100, HR_NAME_HAS, false},
};

static const char *const persons[] = {"patient",     "person",     "subject", "user",     "customer",
                                      "client",      "member",     "student", "employee", "participant",
                                      "respondent",  "individual", "citizen", "resident", "insured",
                                      "beneficiary", NULL};
static const char *const numbers[] = {"id", "uid", "identifier", "number", "no", "nr", "key", "code", NULL};
static const char *const person_numbers[] = {"ssn",    "mrn",       "nhs",       "pid",        "patientid",
                                             "userid", "personid",  "subjectid", "customerid", "memberid",
                                             "msisdn", "studentid", "clientid",  "employeeid", NULL};
static const char *const contacts[] = {"email",   "phone",     "telephone", "fax",      "iban",
                                       "surname", "firstname", "lastname",  "fullname", "passport",
                                       "address", "street",    NULL};
static const char *const dates[] = {"date",         "dates",    "datum",     "dob",   "birthdate",
                                    "geburtsdatum", "datetime", "timestamp", "fecha", NULL};
/* Of places, diagnoses, drugs and trades, in several languages. */
static const char *const codes[] = {"zip",   "zipcode",   "postcode", "postal", "plz", "postleitzahl", "ward",
                                    "diag",  "diagnosis", "diagnose", "icd",    "drg", "cpt",          "atc",
                                    "naics", "fips",      "code",     "codes",  NULL};
static const char *const records[] = {"id", "uid", "identifier", "uuid", "guid", "rowid", "recordid", NULL};

static bool is_small(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_of_word(char c) {
    return is_small(c) || is_capital(c) || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* " patient id " for "patientID", "Patient_Id" and "patient.id": a blank before and after each word. */
static void split_name(const char *name, char out[WORDS_SIZE]) {
    size_t size = 0;
    out[size++] = ' ';
    for (size_t i = 0; name[i] && size + 3 < WORDS_SIZE; i++) {
        const char c = name[i];
        const bool begins = i > 0 && is_capital(c) && (is_small(name[i - 1]) || is_small(name[i + 1]));
        if ((begins || !is_of_word(c)) && out[size - 1] != ' ') out[size++] = ' ';
        if (is_of_word(c)) out[size++] = is_capital(c) ? (char)(c - 'A' + 'a') : c;
    }
    if (out[size - 1] != ' ') out[size++] = ' ';
    out[size] = '\0';
}

/* Whether the words stand in the name, one after the other. */
static bool has_words(const char *name, const char *words) {
    const size_t size = strlen(words);
    for (const char *at = strstr(name, words); at; at = strstr(at + 1, words))
        if (at[-1] == ' ' && at[size] == ' ') return true;
    return false;
}

static bool ends_with(const char *name, const char *words) {
    const size_t size = strlen(words), length = strlen(name) - 1;
    return length > size && name[length - size - 1] == ' ' && memcmp(name + length - size, words, size) == 0;
}

static bool has_any(const char *name, const char *const *list) {
    for (size_t i = 0; list[i]; i++)
        if (has_words(name, list[i])) return true;
    return false;
}

static bool is_one_word(const char *name) {
    return name[0] && !strchr(strchr(name + 1, ' ') + 1, ' ');
}

bool hr_name_says_date(const char *column) {
    char name[WORDS_SIZE];
    split_name(column, name);
    return has_any(name, dates);
}

/* The word ends the name, but for a number: "zip", "diag 1", "country code". */
bool hr_name_says_code(const char *column) {
    char name[WORDS_SIZE];
    split_name(column, name);
    size_t size = strlen(name);
    while (size > 1 && ((name[size - 2] >= '0' && name[size - 2] <= '9') || name[size - 2] == ' ')) size--;
    name[size - 1] = ' ';
    name[size] = '\0';
    for (size_t i = 0; codes[i]; i++)
        if (ends_with(name, codes[i])) return true;
    return false;
}

hr_name_meaning hr_name_means(const char *column) {
    char name[WORDS_SIZE];
    split_name(column, name);
    if (!name[1]) return HR_NAME_PLAIN;
    const bool is_person = has_any(name, persons);
    const bool is_number = has_any(name, numbers) || strchr(column, '#');
    if (has_any(name, person_numbers) || (is_person && is_number)) return HR_NAME_PERSON;
    if (has_any(name, contacts) || has_words(name, "first name") || has_words(name, "last name"))
        return HR_NAME_CONTACT;
    if (has_any(name, records)) return HR_NAME_RECORD;
    return is_person && is_one_word(name) ? HR_NAME_GROUP : HR_NAME_PLAIN;
}

const hr_common_bounds *hr_name_bounds(const char *column) {
    char name[WORDS_SIZE];
    split_name(column, name);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        const hr_common_bounds *c = &common[i];
        const bool ends = ends_with(name, c->words);
        if (c->place == HR_NAME_HAS ? has_words(name, c->words)
                                    : ends && (c->place == HR_NAME_ENDS || is_one_word(name)))
            return c;
    }
    return NULL;
}
