/* Proposed schemas: what is guessed, that it parses, that it awaits review, and that the table can be read
 * with it. */
#include "support/reader_checks.h"

#include <unistd.h>

/* Proposes for a table written to a file; NULL and *err on failure. */
static char *infer(const char *table, hr_format format, const char *label, hr_error *err) {
    char path[] = "propose-XXXXXX", *yaml = NULL;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, table, strlen(table)) != (ssize_t)strlen(table)) abort();
    close(fd);
    hr_status status = hr_schema_infer(path, format, label, &yaml, err);
    assert_true((status == HR_OK) == (yaml != NULL));
    if (status) assert_string_equal(err->file, path);
    unlink(path);
    return yaml;
}

/* Proposes, parses the proposal, and reads the table with it. */
static hr_schema *must_infer(const char *table, const char *label, char **yaml) {
    hr_error err = {0};
    char *text = infer(table, HR_FORMAT_AUTO, label, &err);
    if (!text) fail_msg("%s: %s", err.field, err.message);
    hr_schema *schema = must_schema(text);
    assert_int_equal(hr_schema_reviewed(schema, NULL), HR_E_POLICY);
    hr_data *data = must_parse(schema, table, strlen(table), HR_FORMAT_AUTO);
    for (size_t i = 0; i <= hr_schema_feature_count(schema); i++) {
        const hr_column_report *r = hr_data_report(data, i);
        const hr_column *column =
            i < hr_schema_feature_count(schema) ? hr_schema_feature(schema, i) : hr_schema_label(schema);
        assert_true(column->review);
        if (r->out_of_range || r->not_integer || (r->unknown && column->value_count < 254))
            fail_msg("the proposal does not fit its table:\n%s", text);
    }
    hr_data_free(data);
    if (yaml) *yaml = text;
    if (!yaml) hr_text_free(text);
    return schema;
}

static void test_infer__guesses_kinds_and_bounds(void **state) {
    (void)state;
    hr_schema *s = must_infer("whole,\"fra,ction\",word,mixed,constant,none,y\n"
                              "3, 0.5 ,b,1,5,,yes\n-2,1e-3,a,x,5,,no\n\"7\",2,\"a\",2,5,NA,yes\n",
                              "y", NULL);
    const hr_column *whole = hr_schema_feature(s, 0), *fraction = hr_schema_feature(s, 1),
                    *word = hr_schema_feature(s, 2);
    const hr_column *mixed = hr_schema_feature(s, 3), *constant = hr_schema_feature(s, 4),
                    *none = hr_schema_feature(s, 5);
    assert_int_equal(hr_schema_feature_count(s), 6);
    assert_true(whole->kind == HR_KIND_NUMBER && whole->integer && whole->low == -2 && whole->high == 7);
    assert_string_equal(fraction->name, "fra,ction");
    assert_true(fraction->kind == HR_KIND_NUMBER && !fraction->integer && fraction->low == 1e-3 &&
                fraction->high == 2);
    assert_true(word->kind == HR_KIND_CATEGORY && word->value_count == 2);
    assert_string_equal(word->values[0], "a");
    assert_true(mixed->kind == HR_KIND_CATEGORY && mixed->value_count == 3);
    assert_true(constant->kind == HR_KIND_NUMBER && constant->low == 0 && constant->high == 5);
    assert_true(none->kind == HR_KIND_NUMBER && none->low == 0 && none->high == 1);
    assert_int_equal(hr_schema_task(s), HR_TASK_BINARY);
    assert_string_equal(hr_schema_label(s)->values[0], "no");
    assert_int_equal(hr_schema_missing_count(s), 1);
    hr_schema_free(s);
}

static void test_infer__guesses_the_task(void **state) {
    (void)state;
    static const struct {
        const char *table;
        hr_kind kind;
        size_t classes;
    } cases[] = {
        {"x,y\n1,0.5\n1,2\n", HR_KIND_CATEGORY, 2},
        {"x,y\n1,1\n1,2\n1,3\n", HR_KIND_CATEGORY, 3},
        {"x,y\n1,1\n1,2.5\n1,3\n", HR_KIND_NUMBER, 0},
        {"x,y\n1,+1\n1,-1\n1,1.0\n1,1\n", HR_KIND_CATEGORY, 2},
        {"x,y\n1,a\n1,2\n1,3\n", HR_KIND_CATEGORY, 3},
        {"x,y\n1,a\n1,2\n1,2.0\n1,+2\n", HR_KIND_CATEGORY, 2},
        {"x,y\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n1,10\n", HR_KIND_CATEGORY, 10},
        {"x,y\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n0,9\n0,10\n1,11\n", HR_KIND_NUMBER, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_schema *s = must_infer(cases[i].table, "y", NULL);
        const hr_column *label = hr_schema_label(s);
        if (label->kind != cases[i].kind || label->value_count != cases[i].classes)
            fail_msg("case %zu: %zu classes", i, label->value_count);
        hr_schema_free(s);
    }
    hr_schema *s = must_infer("x,y\n1,10\n2,9\n3,-1\n", "y", NULL);
    assert_string_equal(hr_schema_label(s)->values[0], "-1");
    assert_string_equal(hr_schema_label(s)->values[1], "9");
    assert_string_equal(hr_schema_label(s)->values[2], "10");
    hr_schema_free(s);
}

/* Bytes in memory give the proposal of the file that holds them, to the letter. */
static void test_infer__reads_bytes_in_memory(void **state) {
    (void)state;
    static const char table[] = "id,day,amount,y\n1,2024-01-31,\"1,500\",a\n2,2024-02-01,\"2,000\",b\n",
                      bad[] = "x,y\n1,a\n1\n";
    hr_error err = {0};
    hr_read_options reading = HR_READ_OPTIONS_INIT;
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    char *yaml = NULL, *notes = NULL, *of_file = infer(table, HR_FORMAT_AUTO, "y", &err);
    reading.name = "the table";
    options.label = "y";
    options.reading = &reading;
    options.notes = &notes;
    assert_int_equal(hr_schema_infer_bytes(table, sizeof table - 1, &options, &yaml, &err), HR_OK);
    assert_string_equal(yaml, of_file);
    assert_non_null(notes);
    hr_text_free(notes);
    hr_text_free(of_file);
    hr_text_free(yaml);
    yaml = notes = NULL;
    assert_int_equal(hr_schema_infer_bytes(bad, sizeof bad - 1, &options, &yaml, &err), HR_E_FORMAT);
    assert_string_equal(err.file, "the table");
    assert_int_equal(err.line, 3);
    assert_int_equal(hr_schema_infer_bytes("", 0, &options, &yaml, &err), HR_E_FORMAT);
    options.label = "z";
    assert_int_equal(hr_schema_infer_bytes(table, sizeof table - 1, &options, &yaml, &err), HR_E_SCHEMA);
    assert_string_equal(err.field, "z");
    assert_null(yaml);
    assert_null(notes);
}

static void test_infer__finds_spellings_of_missing(void **state) {
    (void)state;
    char *yaml = NULL;
    hr_schema *s = must_infer("n,c,m,y\n1,?,null,a\n?,x,2,b\n,NA,3,a\n2,y,4,b\n", "y", &yaml);
    assert_int_equal(hr_schema_missing_count(s), 2);
    assert_string_equal(hr_schema_missing(s, 0), "?");
    assert_string_equal(hr_schema_missing(s, 1), "null");
    const hr_column *c = hr_schema_feature(s, 1);
    assert_int_equal(c->value_count, 3); /* NA is a value here: no column of numbers uses it */
    assert_string_equal(c->values[0], "NA");
    assert_non_null(strstr(yaml, "missing: [\"?\", \"null\"]\nreview: [missing]  # REVIEW"));
    assert_non_null(strstr(yaml, "review: [kind, values]  # REVIEW"));
    hr_text_free(yaml);
    hr_schema_free(s);
}

static void test_infer__says_when_labels_are_missing(void **state) {
    (void)state;
    static const char *const tables[] = {"x,y\n1,a\n1,b\n1,\n", "x,y\n1,1\n1,2\n1,NA\n",
                                         "x,y\nNA,1\n2,b\n1,NA\n"};
    for (size_t i = 0; i < 3; i++) {
        hr_error err = {0};
        char *yaml = infer(tables[i], HR_FORMAT_AUTO, "y", &err);
        assert_non_null(yaml);
        assert_non_null(strstr(yaml, "no label"));
        hr_text_free(yaml);
    }
}

/* A table of so many rows: each cell of `format` is printed with the number of the row modulo that of
 * `modulo`. Owner: the caller. */
typedef struct column_recipe {
    const char *name, *format;
    int modulo;
} column_recipe;

static char *make_columns(const column_recipe *columns, size_t count, int rows) {
    char *table = must_alloc((size_t)(rows + 1) * count * 100);
    size_t size = 0;
    for (size_t c = 0; c < count; c++) size += (size_t)sprintf(table + size, "%s,", columns[c].name);
    size += (size_t)sprintf(table + size, "y\n");
    for (int i = 0; i < rows; i++) {
        for (size_t c = 0; c < count; c++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            size += (size_t)sprintf(table + size, columns[c].format, i % columns[c].modulo);
#pragma GCC diagnostic pop
            table[size++] = ',';
        }
        size += (size_t)sprintf(table + size, "%s\n", i % 2 ? "yes" : "no");
    }
    return table;
}

/* Which of the columns a proposal for the table keeps, as a text of '+' and '-'. */
static void kept_columns(const column_recipe *columns, size_t count, int rows, char *kept) {
    char *table = make_columns(columns, count, rows), *yaml = NULL, entry[200];
    hr_schema *s = must_infer(table, "y", &yaml);
    for (size_t c = 0; c < count; c++) {
        kept[c] = '-';
        for (size_t f = 0; f < hr_schema_feature_count(s); f++)
            if (strcmp(hr_schema_feature(s, f)->name, columns[c].name) == 0) kept[c] = '+';
        snprintf(entry, sizeof entry, "\n  - name: \"%s\"\n    kind: unused\n    review: [kind]",
                 columns[c].name);
        assert_true((kept[c] == '-') == (strstr(yaml, entry) != NULL));
    }
    kept[count] = '\0';
    hr_text_free(yaml);
    hr_schema_free(s);
    free(table);
}

static void test_infer__leaves_out_what_differs_in_most_records(void **state) {
    (void)state;
    static const column_recipe columns[] = {
        {"ward", "w%d", 5},        {"half", "h%d", 500},   {"over", "o%d", 600}, {"every", "e%d", 1000},
        {"list", "l%d", 254},      {"longer", "l%d", 300}, {"run", "%d", 1000},  {"amount", "%d", 799},
        {"weight", "7%d.5", 1000}, {"same", "x%.0d", 1},   {"zero", "%d", 1},    {"none", "%.0d", 1},
    };
    char kept[20];
    kept_columns(columns, sizeof columns / sizeof *columns, 1000, kept);
    assert_string_equal(kept, "+---+--++---");
}

static void test_infer__leaves_out_from_half_of_the_cells_on(void **state) {
    (void)state;
    static const column_recipe columns[] = {{"half", "h%d", 50}, {"over", "o%d", 51}};
    char kept[20];
    kept_columns(columns, 2, 100, kept);
    assert_string_equal(kept, "+-");
}

static void test_infer__judges_no_column_by_a_few_cells(void **state) {
    (void)state;
    static const column_recipe columns[] = {{"word", "w%d", 9}, {"number", "%d", 9}, {"same", "s%.0d", 1}};
    char kept[20];
    kept_columns(columns, 3, 9, kept);
    assert_string_equal(kept, "+++");
    kept_columns(columns, 3, 10, kept);
    assert_string_equal(kept, "-+-");
}

static void test_infer__leaves_out_what_a_name_says_identifies(void **state) {
    (void)state;
    static const column_recipe columns[] = {
        {"patient_id", "%d", 9}, {"subject#", "%d", 42}, {"memberNumber", "m%d", 30}, {"customer", "%d", 2},
        {"SSN", "%d", 100},      {"e-mail", "a%d", 10},  {"email", "a%d", 10},        {"store_id", "%d", 10},
        {"id", "%d", 300},       {"video", "v%d", 10},   {"first name", "n%d", 50},   {"Idaho", "%d", 50},
    };
    char kept[20];
    kept_columns(columns, sizeof columns / sizeof *columns, 1000, kept);
    assert_string_equal(kept, "---+---+-+-+");
}

static void test_infer__leaves_out_free_text(void **state) {
    (void)state;
    static const column_recipe columns[] = {
        {"note", "seen again after %d days at home", 40},
        {"group", "a long name of group %d", 20},
        {"blob", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%d", 40},
        {"code", "icd-%d", 40},
    };
    char kept[20];
    kept_columns(columns, 4, 1000, kept);
    assert_string_equal(kept, "-+-+");
}

/* Numbers, and a word that stands for none: it is listed as missing, in the category beside, too. */
static void test_infer__knows_numbers_with_words_between_them(void **state) {
    (void)state;
    char table[8000] = "income,code,y\n", *yaml = NULL;
    for (int i = 0; i < 400; i++) {
        if (i % 5) snprintf(table + strlen(table), 20, "%d,c%d,%d\n", i, i % 7, i % 2);
        if (i % 5 == 0) snprintf(table + strlen(table), 20, "N,%s,%d\n", i % 10 ? "x" : "N", i % 2);
    }
    hr_schema *s = must_infer(table, "y", &yaml);
    assert_int_equal(hr_schema_feature_count(s), 2);
    assert_true(hr_schema_feature(s, 0)->kind == HR_KIND_NUMBER && hr_schema_feature(s, 0)->high == 400);
    assert_int_equal(hr_schema_feature(s, 1)->value_count, 8);
    assert_non_null(strstr(yaml, "other words, listed under 'missing': \"N\" (80 cells); "));
    assert_non_null(strstr(yaml, "# REVIEW: a value of this column is listed under 'missing'"));
    assert_non_null(strstr(yaml, "\nmissing: [\"N\"]\n"));
    hr_text_free(yaml);
    hr_schema_free(s);
}

/* No value of a column that is left out is in the proposal: people hand comments on. */
static void test_infer__keeps_what_is_left_out_to_itself(void **state) {
    (void)state;
    static const column_recipe columns[] = {{"x", "%d", 3}, {"name", "Smith%d", 1000}, {"pid", "77%d", 1000}};
    char *table = make_columns(columns, 3, 1000), *yaml = NULL;
    hr_schema *s = must_infer(table, "y", &yaml);
    assert_null(strstr(yaml, "Smith"));
    assert_null(strstr(yaml, "77"));
    assert_null(strstr(yaml, "1000"));
    assert_non_null(strstr(yaml, "\nunit: \"pid\"\nreview: [missing, unit]  # REVIEW: "));
    hr_text_free(yaml);
    hr_schema_free(s);
    free(table);
}

static void test_infer__proposes_the_unit(void **state) {
    (void)state;
    static const struct {
        column_recipe columns[3];
        const char *unit;
    } cases[] = {
        {{{"x", "%d", 3}, {"id", "%d", 900}, {"patient_id", "p%d", 30}}, "\nunit: \"patient_id\"\n"},
        {{{"x", "%d", 3}, {"id", "%d", 600}, {"phone", "p%d", 30}}, "\nunit: \"id\"\n"},
        {{{"x", "%d", 3}, {"id", "%d", 1000}, {"phone", "p%d", 30}}, NULL}, /* it numbers the records */
        {{{"x", "%d", 3}, {"y2", "%d", 9}, {"phone", "p%d", 30}}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *table = make_columns(cases[i].columns, 3, 1000), *yaml = NULL;
        hr_schema_free(must_infer(table, "y", &yaml));
        assert_non_null(strstr(yaml, cases[i].unit ? cases[i].unit : "\n# unit: record\n"));
        hr_text_free(yaml);
        free(table);
    }
}

static void test_infer__knows_common_bounds(void **state) {
    (void)state;
    static const struct {
        column_recipe column;
        double low, high;
        bool guess;
    } cases[] = {
        {{"age", "%d", 100}, 0, 120, true},
        {{"AgeYears", "%d", 100}, 0, 120, true},
        {{"hours-per-week", "%d", 60}, 0, 168, true},
        {{"Hour", "%d", 24}, 0, 24, true},
        {{"pct_free", "%d.5", 90}, 0, 100, true},
        {{"day_of_week", "%d", 7}, 0, 7, true},
        {{"heart.rate", "1%02d", 90}, 0, 300, true},
        {{"lat", "4%d.5", 9}, -90, 90, true},
        {{"dep_day", "%d", 31}, 1, 31, true},
        {{"Age", "%d", 150}, 0, 120, true},  /* most numbers fit: the others are faults */
        {{"age", "%d", 400}, 0, 400, false}, /* the age of something else */
        {{"day_calls", "%d", 50}, 0, 50, false},
        {{"agent", "%d", 50}, 0, 50, false},
        {{"image", "%d", 50}, 0, 50, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *table = make_columns(&cases[i].column, 1, 1000), *yaml = NULL;
        hr_error err = {0};
        yaml = infer(table, HR_FORMAT_CSV, "y", &err);
        hr_schema *s = must_schema(yaml);
        const hr_column *column = hr_schema_feature(s, 0);
        if (column->low != cases[i].low || column->high != cases[i].high || !column->review)
            fail_msg("case %zu: %g..%g", i, column->low, column->high);
        assert_true((strstr(yaml, "a guess from the column's name") != NULL) == cases[i].guess);
        hr_schema_free(s);
        hr_text_free(yaml);
        free(table);
    }
}

static void test_infer__says_when_there_are_too_many_values(void **state) {
    (void)state;
    static const column_recipe columns[] = {{"many", "p%03d", 400}, {"few", "q%03d", 254}, {"", "%.0d", 1}};
    char *table = make_columns(columns, 3, 1000), *yaml = NULL;
    hr_schema *s = must_infer(table, "y", &yaml);
    assert_int_equal(hr_schema_feature_count(s), 1);
    assert_int_equal(hr_schema_feature(s, 0)->value_count, 254);
    assert_non_null(strstr(yaml, "# REVIEW: too many different values to list"));
    assert_non_null(strstr(yaml, "column 3 has no name"));
    hr_text_free(yaml);
    hr_schema_free(s);
    free(table);
}

/* Proposes with a dictionary; NULL and *err on failure. */
static char *infer_with(const char *table, const char *dictionary, const char *label, hr_error *err) {
    char path[] = "propose-XXXXXX", words[] = "dictionary-XXXXXX", *yaml = NULL;
    int files[] = {mkstemp(path), mkstemp(words)};
    if (write(files[0], table, strlen(table)) != (ssize_t)strlen(table)) abort();
    if (write(files[1], dictionary, strlen(dictionary)) != (ssize_t)strlen(dictionary)) abort();
    close(files[0]);
    close(files[1]);
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    options.label = label;
    options.dictionary = words;
    const char *only = path;
    hr_status status = hr_schema_infer_all(&only, 1, &options, &yaml, err);
    assert_true((status == HR_OK) == (yaml != NULL));
    if (status) assert_string_equal(err->file, words);
    unlink(path);
    unlink(words);
    return yaml;
}

/* A unit is no feature; what the dictionary describes is one. */
static void test_infer__proposes_no_feature_as_the_unit(void **state) {
    (void)state;
    static const char table[] = "patient_id,x,y\n1,5,a\n2,6,b\n3,7,a\n";
    static const char *const facts[] = {"name,low,high\nx,0,9\n", "name,low,high\npatient_id,0,9\n"};
    for (size_t i = 0; i < 2; i++) {
        hr_error err = {0};
        char *yaml = infer_with(table, facts[i], "y", &err);
        if (!yaml) fail_msg("%s", err.message);
        assert_int_equal(strstr(yaml, "\nunit:") != NULL, i == 0);
        hr_text_free(yaml);
    }
}

static void test_infer__takes_public_facts_from_a_dictionary(void **state) {
    (void)state;
    static const char table[] = "age,sex,id,free,y\n31,1,7,NA,1\n44,2,8,3,0\n",
                      *facts[] = {
                          "what,name,low,high,values\nyears,age,18,110,\n,sex,,,1|2|9\nkept,id,0,99,\n,y,,,0;"
                          " 1\n,other,0,1,\n,free,,,\n",
                          "name,values,low,high\nage,,18,110\nsex,1;2;9,,\nid,,0,99\ny,0;1,,\nother,,0,1\n"};
    for (size_t i = 0; i < 2; i++) {
        hr_error err = {0};
        char *yaml = infer_with(table, facts[i], "y", &err);
        if (!yaml) fail_msg("%s", err.message);
        hr_schema *s = must_schema(yaml);
        const hr_column *age = hr_schema_feature(s, 0), *sex = hr_schema_feature(s, 1),
                        *id = hr_schema_feature(s, 2);
        assert_true(age->kind == HR_KIND_NUMBER && age->low == 18 && age->high == 110 && !age->integer &&
                    !age->review);
        assert_true(sex->kind == HR_KIND_CATEGORY && sex->value_count == 3 && !sex->review);
        assert_string_equal(sex->values[2], "9");
        assert_true(!strcmp(id->name, "id") && id->high == 99 && !id->review);
        assert_true(hr_schema_feature(s, 3)->review && !hr_schema_label(s)->review);
        assert_string_equal(hr_schema_label(s)->values[1], "1");
        assert_non_null(strstr(yaml, "no column of this name of the dictionary: \"other\""));
        hr_schema_free(s);
        hr_text_free(yaml);
    }
}

static void test_infer__needs_no_review_of_a_dictionary(void **state) {
    (void)state;
    hr_error err = {0};
    char *yaml = infer_with(
        "a,y\n1,0\n2,1\n",
        "name,low,high,integer,values,missing,source\na,0,9,true,,?|-,code book\ny,,,,0|1,,\n", "y", &err);
    hr_schema *s = must_schema(yaml);
    assert_int_equal(hr_schema_public(s, NULL), HR_OK);
    assert_true(hr_schema_feature(s, 0)->integer);
    assert_string_equal(hr_schema_feature(s, 0)->source, "code book");
    assert_non_null(strstr(hr_schema_label(s)->source, "data dictionary dictionary-"));
    assert_int_equal(hr_schema_missing_count(s), 2);
    assert_string_equal(hr_schema_missing(s, 1), "-");
    hr_schema_free(s);
    hr_text_free(yaml);
}

static void test_infer__refuses_a_bad_dictionary(void **state) {
    (void)state;
    static const struct {
        const char *text, *field, *message;
        uint64_t line;
    } cases[] = {
        {"", "", "empty", 0},
        {"low,high\n1,2\n", "name", "no such column", 0},
        {"name,low,high\na,1\n", "", "2 cells where 3", 2},
        {"name,low,high\na,1,2\na,1,2\n", "name", "twice", 3},
        {"name,low,high\n,1,2\n", "name", "name is missing", 2},
        {"name,low,high\na,1,\n", "high", "is empty", 2},
        {"name,low,high\na,x,2\n", "low", "'x' is not a number", 2},
        {"name,low,high\na,3,2\n", "low", "not in order", 2},
        {"name,low,high\na,-1.7e308,1.7e308\n", "low", "not in order", 2},
        {"name,low,high,values\n\na,3,4,x|y\n", "values", "both bounds and values", 3},
        {"name,values\na,x||y\n", "values", "empty value", 2},
        {"name,values\na,x;y;x\n", "values", "listed twice", 2},
        {"name,low,high,integer\na,1,2,yes\n", "integer", "'yes' is neither true nor false", 2},
        {"name,missing\na,x||y\n", "missing", "empty value", 2},
        {"name,values\n\"a,x\n", "", "never closed", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_error err = {0};
        char *yaml = infer_with("a,y\n1,0\n2,1\n", cases[i].text, "y", &err);
        if (yaml || err.status != HR_E_FORMAT || err.line != cases[i].line ||
            strcmp(err.field, cases[i].field) || !strstr(err.message, cases[i].message))
            fail_msg("case %zu: line %d, field '%s': %s", i, (int)err.line, err.field, err.message);
        if (i && !*err.remedy) fail_msg("case %zu: no remedy", i);
    }
}

/* One word accepts all marks, and then nothing is private. */
static void test_infer__marks_stay_when_they_are_accepted(void **state) {
    (void)state;
    char *yaml = NULL;
    hr_schema_free(must_infer("a,b,y\n1,x,0\n2,z,1\n", "y", &yaml));
    char *word = strstr(yaml, "reviewed: false");
    assert_non_null(word);
    memcpy(word, "reviewed:  true", strlen("reviewed: false"));
    hr_schema *s = must_schema(yaml);
    hr_error err = {0};
    assert_int_equal(hr_schema_reviewed(s, NULL), HR_OK);
    assert_int_equal(hr_schema_public(s, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": y, a, b, the spellings of missing"));
    hr_schema_free(s);
    hr_text_free(yaml);
}

static void test_infer__survives_huge_numbers(void **state) {
    (void)state;
    hr_error err = {0};
    static const char *const tables[] = {"x,y\n-1.7e308,1\n1.7e308,2\n", "x,y\n1.7e308,1\n1.7e308,2\n",
                                         "x,y\n-1.7e308,1\n-1.7e308,2\n", "x,y\n1e999,1\n2,2\n",
                                         "x,y\n5e-324,1\n5e-324,2\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char *yaml = infer(tables[i], HR_FORMAT_CSV, "y", &err);
        assert_non_null(yaml);
        hr_schema *s = must_schema(yaml);
        hr_schema_free(s);
        hr_text_free(yaml);
    }
}

static void test_infer__reads_libsvm(void **state) {
    (void)state;
    hr_schema *s = must_infer("+1 1:0.5 3:-2\n-1 3:4 # x\n", NULL, NULL);
    assert_string_equal(hr_schema_label(s)->name, "label");
    assert_int_equal(hr_schema_task(s), HR_TASK_BINARY);
    assert_int_equal(hr_schema_feature_count(s), 3);
    assert_string_equal(hr_schema_feature(s, 2)->name, "f3");
    assert_true(hr_schema_feature(s, 0)->low == 0 && hr_schema_feature(s, 0)->high == 0.5);
    assert_true(hr_schema_feature(s, 2)->low == -2 && hr_schema_feature(s, 2)->high == 4);
    hr_schema_free(s);
}

static void test_infer__refuses(void **state) {
    (void)state;
    static const struct {
        const char *table, *label, *message;
        int status;
        hr_format format;
    } cases[] = {
        {"", "y", "empty", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n", "y", "no records", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n", "z", "it has x, y", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n", NULL, "it has x, y", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n3,2\n", "y", "nothing can be predicted", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,y\n1,2\n3,?\n", "y", "nothing can be predicted", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"y\n1\n2\n", "y", "no column that could be", HR_E_SCHEMA, HR_FORMAT_AUTO},
        {"x,x,y\n1,2,3\n", "y", "two columns", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n1,2,3\n", "y", "more than 2 cells", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n\"1,2\n", "y", "never closed", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"x,y\n\xe9,1\n1,2\n", "y", "not UTF-8", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"1 70000:1\n", NULL, "at most 65535", HR_E_LIMIT, HR_FORMAT_AUTO},
        {"1:1\n", NULL, "label is missing", HR_E_SCHEMA, HR_FORMAT_LIBSVM},
        {"1 2:1\n1 1:1 2:1 1:3\n", NULL, "comes twice", HR_E_FORMAT, HR_FORMAT_AUTO},
        {"1 qid:1 1:1\n", NULL, "ranking", HR_E_FORMAT, HR_FORMAT_AUTO},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_error err = {0};
        char *yaml = infer(cases[i].table, cases[i].format, cases[i].label, &err);
        if (yaml || (int)err.status != cases[i].status || !strstr(err.message, cases[i].message)) {
            fail_msg("case %zu: status %d: %s", i, err.status, err.message);
        }
    }
    hr_error err = {0};
    char *yaml = NULL;
    assert_int_equal(hr_schema_infer("no/such/file", HR_FORMAT_AUTO, "y", &yaml, &err), HR_E_IO);
}

static char *infer_by_threads(const char *table, size_t size, int threads) {
    hr_read_options reading = HR_READ_OPTIONS_INIT;
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    char *yaml = NULL;
    reading.threads = threads;
    options.reading = &reading;
    options.label = "y";
    assert_int_equal(hr_schema_infer_bytes(table, size, &options, &yaml, NULL), HR_OK);
    return yaml;
}

/* Words between dates and numbers are noted by what was met before them, so that the order of cells counts.
 */
static void test_infer__is_the_same_from_any_number_of_threads(void **state) {
    enum { RECORDS = 30000, RECORD = 96 };
    (void)state;
    char *table = must_alloc((size_t)RECORDS * RECORD),
         *to = table + sprintf(table, "y,id,day,city,dose,code\n");
    for (size_t i = 0; i < RECORDS; i++) {
        to += sprintf(to, "%s,%zu,\"", i % 3 ? "yes" : "no", i * 7919 % 4000);
        if (i < 2000)
            to += sprintf(to, "1,%03zu.5", 1 + i % 28);
        else
            to += sprintf(to, i % 50 ? "2020-01-%02zu" : "%zu.3.2021", 1 + i % 28);
        to += sprintf(to, "\",city %zu,%s%zu.%03zu,%02zu\n", i % 300, i % 40 ? "" : "<", i % 9, i % 700,
                      i % 90);
    }
    char *one = infer_by_threads(table, (size_t)(to - table), 1);
    for (int threads = 2; threads < 9; threads += 3) {
        char *several = infer_by_threads(table, (size_t)(to - table), threads);
        assert_string_equal(several, one);
        hr_text_free(several);
    }
    hr_text_free(one);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infer__guesses_kinds_and_bounds),
        cmocka_unit_test(test_infer__guesses_the_task),
        cmocka_unit_test(test_infer__reads_bytes_in_memory),
        cmocka_unit_test(test_infer__finds_spellings_of_missing),
        cmocka_unit_test(test_infer__says_when_labels_are_missing),
        cmocka_unit_test(test_infer__leaves_out_what_differs_in_most_records),
        cmocka_unit_test(test_infer__leaves_out_from_half_of_the_cells_on),
        cmocka_unit_test(test_infer__judges_no_column_by_a_few_cells),
        cmocka_unit_test(test_infer__leaves_out_what_a_name_says_identifies),
        cmocka_unit_test(test_infer__leaves_out_free_text),
        cmocka_unit_test(test_infer__knows_numbers_with_words_between_them),
        cmocka_unit_test(test_infer__keeps_what_is_left_out_to_itself),
        cmocka_unit_test(test_infer__proposes_the_unit),
        cmocka_unit_test(test_infer__knows_common_bounds),
        cmocka_unit_test(test_infer__says_when_there_are_too_many_values),
        cmocka_unit_test(test_infer__proposes_no_feature_as_the_unit),
        cmocka_unit_test(test_infer__takes_public_facts_from_a_dictionary),
        cmocka_unit_test(test_infer__needs_no_review_of_a_dictionary),
        cmocka_unit_test(test_infer__refuses_a_bad_dictionary),
        cmocka_unit_test(test_infer__marks_stay_when_they_are_accepted),
        cmocka_unit_test(test_infer__survives_huge_numbers),
        cmocka_unit_test(test_infer__reads_libsvm),
        cmocka_unit_test(test_infer__refuses),
        cmocka_unit_test(test_infer__is_the_same_from_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
