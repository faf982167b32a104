#include "tables/infer/infer_column.h"

#include <stddef.h>
#include <stdio.h>
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

/* In English, German, French, Spanish, Italian and Dutch. */
static const char *const persons[] = {
    "patient",     "person",       "subject",      "user",       "customer",   "client",    "member",
    "student",     "employee",     "participant",  "respondent", "individual", "citizen",   "resident",
    "insured",     "beneficiary",  "pat",          "patienten",  "kunde",      "kunden",    "mitglied",
    "mitglieds",   "versicherten", "versicherter", "teilnehmer", "proband",    "probanden", "benutzer",
    "mitarbeiter", "personal",     "paciente",     "cliente",    "usuario",    "persona",   "adherent",
    "utilisateur", "personne",     "paziente",     "utente",     "klant",      "persoon",   NULL};
/* With a word for number they are those of one person, or of its household. */
static const char *const accounts[] = {"account",       "acct",         "konto",    "cuenta",
                                       "compte",        "conto",        "rekening", "insurance",
                                       "versicherungs", "versicherung", "policen",  "policy holder",
                                       "passport",      "ausweis",      NULL};
/* What many persons have in common: places, goods, times, diagnoses. */
static const char *const shared[] = {
    "zip",     "zipcode", "postcode",    "postal",  "plz",       "postleitzahl", "cap",       "code",
    "codes",   "city",    "town",        "county",  "fips",      "region",       "country",   "ward",
    "station", "store",   "shop",        "branch",  "dept",      "school",       "hospital",  "product",
    "item",    "sku",     "article",     "artikel", "model",     "diag",         "diagnosis", "icd",
    "drg",     "atc",     "cpt",         "time",    "timestamp", "epoch",        "date",      "datum",
    "fecha",   "hour",    "day",         "flight",  "lat",       "lon",          "latitude",  "longitude",
    "origin",  "dest",    "destination", "airport", NULL};
static const char *const numbers[] = {"id", "uid", "identifier", "number", "no", "nr", "key", "code", NULL};
/* They stand at the end of a name, or before the one word that they count: "num children" is no identifier.
 */
static const char *const counts[] = {"nbr",           "num",           "nummer", "numero",
                                     "num\xc3\xa9ro", "n\xc3\xbamero", "nro",    NULL};
static const char *const own_names[] = {"name", "nom", "nombre", "nome", "naam", "namn", "navn", NULL};
static const char *const person_numbers[] = {"ssn",    "mrn",       "nhs",       "pid",        "patientid",
                                             "userid", "personid",  "subjectid", "customerid", "memberid",
                                             "msisdn", "studentid", "clientid",  "employeeid", "svnr",
                                             "ahv",    "nino",      "bsn",       "pesel",      "personnummer",
                                             "fnr",    "dni",       "cpf",       "curp",       NULL};
static const char *const contacts[] = {"email",        "phone",     "telephone",     "fax",      "iban",
                                       "surname",      "firstname", "lastname",      "fullname", "passport",
                                       "address",      "street",    "mail",          "telefon",  "telefono",
                                       "handy",        "courriel",  "correo",        "vorname",  "nachname",
                                       "familienname", "prenom",    "pr\xc3\xa9nom", "apellido", "cognome",
                                       "anschrift",    "adresse",   "direccion",     NULL};
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

/* "patientennummer", "kontonr": a word for persons or accounts and one for number, written as one. */
static bool has_compound(const char *name) {
    static const char *const ends[] = {"nummer", "number", "numero", "nr", NULL};
    const char *const *const stems[] = {persons, accounts};
    for (size_t e = 0; ends[e]; e++)
        for (size_t list = 0; list < 2; list++)
            for (size_t i = 0; stems[list][i]; i++) {
                char word[WORDS_SIZE];
                snprintf(word, sizeof word, "%s%s ", stems[list][i], ends[e]);
                const char *at = strstr(name, word);
                if (at && (at[-1] == ' ' || e < 3)) return true; /* sozial|versicherungs|nummer */
            }
    return false;
}

/* The name ends with one of the words, or begins with one and has one more. */
static bool is_number_of(const char *name, const char *const *list) {
    const char *second = strchr(name + 1, ' ');
    const bool two = second && second[1] && !strchr(strchr(second + 1, ' ') + 1, ' ');
    for (size_t i = 0; list[i]; i++) {
        const size_t size = strlen(list[i]);
        if (ends_with(name, list[i])) return true;
        if (two && name[size + 1] == ' ' && memcmp(name + 1, list[i], size) == 0) return true;
    }
    return false;
}

hr_name_meaning hr_name_means(const char *column) {
    char name[WORDS_SIZE];
    split_name(column, name);
    if (!name[1]) return HR_NAME_PLAIN;
    const bool is_person = has_any(name, persons), one = is_one_word(name);
    const bool is_number = has_any(name, numbers) || strchr(column, '#') || is_number_of(name, counts);
    if (has_any(name, person_numbers) || has_compound(name) || (is_person && is_number))
        return HR_NAME_PERSON;
    const bool has_code = has_words(name, "code") || has_words(name, "key");
    if (has_any(name, accounts) && !has_code && (is_number_of(name, counts) || is_number_of(name, numbers)))
        return HR_NAME_PERSON;
    if (has_any(name, contacts) || has_words(name, "first name") || has_words(name, "last name") ||
        (is_person && has_any(name, own_names)))
        return HR_NAME_CONTACT;
    if (has_any(name, records)) return HR_NAME_RECORD;
    if (one && has_any(name, own_names)) return HR_NAME_OF_ONE;
    if (one && (is_person || has_any(name, accounts))) return HR_NAME_GROUP;
    if (has_any(name, shared)) return HR_NAME_SHARED;
    return is_number_of(name, counts) || is_number_of(name, numbers) ? HR_NAME_NUMBER : HR_NAME_PLAIN;
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
