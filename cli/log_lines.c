/* A line is written at once, so that lines of several processes do not mix. */
#include "log_lines.h"
#include "notify.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LINE = 2400, STATUS = 600 };

static struct {
    const char *command;
    log_format format;
    hr_log_level level;
    bool for_journal;
} log_output;

static const char *const level_names[] = {"error", "warning", "info", "debug"};

/* Whether standard error is the stream that systemd reads into its journal. */
static bool is_journal(void) {
    const char *text = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat there;
    return text != NULL && sscanf(text, "%llu:%llu", &device, &inode) == 2 &&
           fstat(fileno(stderr), &there) == 0 && there.st_dev == device && there.st_ino == inode;
}

bool log_lines_open(const char *name, const log_args *args) {
    if (args->quiet && args->level != LOG_LEVEL_UNSET) {
        usage_error(name, "--quiet is --log-level error; give one of them");
        return false;
    }
    log_output.command = name;
    log_output.format = (log_format)args->format;
    log_output.level = args->level == LOG_LEVEL_UNSET ? HR_LOG_INFO : (hr_log_level)args->level;
    if (args->quiet) log_output.level = HR_LOG_ERROR;
    log_output.for_journal = is_journal();
    return true;
}

/* ---- Texts ---- */

/* How many bytes a character takes; 0: it is not UTF-8, or would disturb a line. */
static size_t character_size(const char *at) {
    const unsigned char first = (unsigned char)*at;
    const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size == 0 || first > 0xf4 || first < 0x20 || first == 0x7f) return 0;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80) return 0;
    return size;
}

/* Paths may have any bytes, and a long text may end within a character: '?' stands for what is none. */
static void make_plain(char *text) {
    for (char *at = text; *at != '\0';) {
        const size_t size = character_size(at);
        if (size == 0) *at = '?';
        at += size == 0 ? 1 : size;
    }
}

/* RFC 3339. */
static void time_text(char text[32]) {
    const time_t now = time(NULL);
    struct tm tm;
    text[0] = '\0';
    if (gmtime_r(&now, &tm) != NULL) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static const char *member_of(const hr_log_line *line) {
    return line->owner != NULL ? line->owner : line->coordinator;
}

/* ---- Formats ---- */

static void write_bare(FILE *out, const hr_log_line *line, const char *words) {
    fprintf(out, "hedgerow %s: %s%s%s\n", log_output.command, line->owner != NULL ? line->owner : "",
            line->owner != NULL ? ": " : "", words);
}

/* The journal adds the time, and shows the level. */
static void write_text(FILE *out, const hr_log_line *line, const char *words) {
    char when[32];
    time_text(when);
    if (!log_output.for_journal) fprintf(out, "%s %-7s ", when, level_names[line->level]);
    if (member_of(line) != NULL) fprintf(out, "%s: ", member_of(line));
    if (line->job != NULL) fprintf(out, "job %.8s: ", line->job);
    fprintf(out, "%s\n", words);
}

static void write_json(FILE *out, const hr_log_line *line, const char *words) {
    char when[32];
    json_writer json = {.out = out};
    time_text(when);
    json_open(&json, NULL, '{');
    json_text(&json, "time", when);
    json_text(&json, "level", level_names[line->level]);
    if (line->owner != NULL) json_text(&json, "owner", line->owner);
    if (line->coordinator != NULL) json_text(&json, "coordinator", line->coordinator);
    if (line->job != NULL) json_text(&json, "job", line->job);
    json_text(&json, "message", words);
    json_close(&json, '}');
    fputc('\n', out);
}

static void write_line(FILE *out, const hr_log_line *line, const char *words) {
    static const int priorities[] = {3, 4, 6, 7}; /* of sd-daemon(3), by level */
    if (log_output.for_journal) fprintf(out, "<%d>", priorities[line->level]);
    switch (log_output.format) {
    case LOG_TEXT: write_text(out, line, words); break;
    case LOG_JSON: write_json(out, line, words); break;
    case LOG_BARE: write_bare(out, line, words); break;
    }
}

static void print_line(const hr_log_line *line, const char *words) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        write_line(stderr, line, words);
        return;
    }
    write_line(out, line, words);
    if (fclose(out) == 0) fwrite(text, 1, size, stderr);
    free(text);
}

void log_lines_print(void *user, const hr_log_line *line) {
    char words[LINE], status[STATUS];
    (void)user;
    snprintf(words, sizeof words, "%s", line->text);
    make_plain(words);
    if (line->level <= log_output.level) print_line(line, words);
    if (line->level == HR_LOG_DEBUG) return;
    snprintf(status, sizeof status, "%.64s%s%.500s", line->owner != NULL ? line->owner : "",
             line->owner != NULL ? ": " : "", words);
    notify_status(status);
}

int log_lines_end(const hr_error *err) {
    char words[LINE];
    if (log_output.format != LOG_JSON && !log_output.for_journal)
        return report_error(log_output.command, err);
    const hr_log_line line = {.level = HR_LOG_ERROR};
    hr_error_format(err, words, sizeof words);
    make_plain(words);
    print_line(&line, words);
    return error_exit_code(err);
}
