/* Every command of the tool, one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

extern const command schema_init_command;
extern const command schema_review_command;
extern const command schema_check_command;
extern const command split_command;
extern const command bin_command;
extern const command train_command;
extern const command tune_command;
extern const command predict_command;
extern const command evaluate_command;
extern const command show_command;
extern const command export_command;
extern const command methods_command;
extern const command ledger_show_command;
extern const command ledger_create_command;
extern const command ledger_freeze_command;
extern const command ledger_verify_command;
extern const command ledger_restore_command;
extern const command ledger_charge_command;
extern const command ledger_witness_command;
extern const command policy_check_command;
extern const command jobs_approve_command;
extern const command jobs_refuse_command;
extern const command serve_command;
extern const command coordinate_command;
extern const command submit_command;
extern const command jobs_command;
extern const command jobs_cancel_command;
extern const command jobs_reconcile_command;
extern const command jobs_log_command;
extern const command jobs_fetch_command;
extern const command status_command;
extern const command simulate_command;
extern const command federation_init_command;
extern const command federation_open_command;
extern const command federation_add_command;
extern const command federation_remove_command;
extern const command federation_rekey_command;
extern const command federation_renew_command;
extern const command federation_fingerprint_command;
extern const command federation_show_command;
extern const command federation_purge_command;
extern const command keygen_command;
extern const command attack_simfl_command;
extern const command generate_hospital_command;
extern const command generate_classification_command;
extern const command generate_regression_command;
extern const command generate_friedman1_command;

/* The names of the methods that have an option, in sound mode or in paper mode, with commas. */
void methods_with_option(const char *option, char *text, size_t size);

/* How a job is named in every command. */
#define JOB_HELP "the job: its name, or the first digits of its id"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
