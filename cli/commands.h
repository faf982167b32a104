/* Every command of the tool, one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

extern const command schema_init_command;
extern const command schema_check_command;
extern const command train_command;
extern const command predict_command;
extern const command evaluate_command;
extern const command show_command;
extern const command methods_command;
extern const command ledger_show_command;
extern const command ledger_create_command;
extern const command ledger_freeze_command;
extern const command serve_command;
extern const command coordinate_command;
extern const command simulate_command;
extern const command federation_init_command;
extern const command federation_open_command;
extern const command keygen_command;
extern const command generate_hospital_command;
extern const command generate_classification_command;
extern const command generate_regression_command;
extern const command generate_friedman1_command;

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
