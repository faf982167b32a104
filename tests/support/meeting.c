#include "support/meeting.h"

#include <hedgerow/generate.h>

const char *const meeting_owners[] = {"north", "south"};

static const char owner_file[] =
    "hedgerow-owner: 1\nname: %s\nfederation: fed/%s/federation.yaml\nkey: fed/%s/%s.key\n"
    "data: %s.csv\nschema: schema.yaml\nledger: %s.db\n"
    "policy: {coordinators: [coordinator], methods: [inprivate], epsilon: 1, owners: 2}\n";

static const char job_file[] =
    "hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 1\nname: coordinator\n"
    "federation: fed/coordinator/federation.yaml\nkey: fed/coordinator/coordinator.key\n"
    "journal: coordinator.db\nowners: [north, south]\n";

void meeting_write(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static bool append(void *file, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, file) == size;
}

void meeting_records(void) {
    hr_generate_options options;
    hr_error err = {0};
    char *schema = NULL;
    hr_generate_options_init(&options, HR_GENERATE_HOSPITAL);
    options.rows = 60;
    for (size_t i = 0; i < MEETING_OWNERS; i++) {
        char path[32];
        options.seed = i + 1;
        snprintf(path, sizeof path, "%s.csv", meeting_owners[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(hr_generate(&options, append, file, &err), HR_OK);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(hr_generate_schema(&options, &schema, &err), HR_OK);
    meeting_write("schema.yaml", schema);
    hr_text_free(schema);
}

void meeting_federation(double epsilon) {
    const hr_new_member members[] = {{.name = "coordinator"}, {.name = "north"}, {.name = "south"}};
    const hr_federation_options options = {sizeof options, "demo", "tls://localhost:4222", members, 3};
    hr_error err = {0};
    if (hr_federation_init("fed", &options, &err)) fail_msg("%s", err.message);
    meeting_write("job.yaml", job_file);
    for (size_t i = 0; i < MEETING_OWNERS; i++) {
        const char *name = meeting_owners[i];
        char path[32], text[sizeof owner_file + 64];
        snprintf(path, sizeof path, "%s.db", name);
        assert_int_equal(hr_ledger_create(path, epsilon, 0, &err), HR_OK);
        snprintf(path, sizeof path, "%s.yaml", name);
        snprintf(text, sizeof text, owner_file, name, name, name, name, name, name);
        meeting_write(path, text);
    }
}

int meeting_open(void **state) {
    if (temp_dir_open(state)) return -1;
    return chdir(((temp_dir *)*state)->folder);
}

int meeting_close(void **state) {
    return chdir("/") ? -1 : temp_dir_close(state);
}
