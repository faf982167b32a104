/* The functions that R code calls. */
#include "hedgerow.h"

#include <R_ext/Rdynload.h>

#define CALL(name, count)                                                                                    \
    { #name, (DL_FUNC)&name, count }

static const R_CallMethodDef calls[] = {CALL(hedgerow_schema_parse, 2),
                                        CALL(hedgerow_schema_build, 3),
                                        CALL(hedgerow_schema_without, 2),
                                        CALL(hedgerow_schema_text, 1),
                                        CALL(hedgerow_schema_facts, 1),
                                        CALL(hedgerow_schema_check, 1),
                                        CALL(hedgerow_schema_infer, 3),
                                        CALL(hedgerow_is_open, 1),
                                        CALL(hedgerow_live_count, 0),
                                        CALL(hedgerow_amount_texts, 1),
                                        CALL(hedgerow_library_version, 0),
                                        CALL(hedgerow_number_texts, 1),
                                        CALL(hedgerow_read_texts, 4),
                                        CALL(hedgerow_data, 4),
                                        CALL(hedgerow_remarks, 4),
                                        CALL(hedgerow_release, 1),
                                        CALL(hedgerow_fit, 2),
                                        CALL(hedgerow_plan_info, 3),
                                        CALL(hedgerow_simulation, 2),
                                        CALL(hedgerow_method_list, 0),
                                        CALL(hedgerow_method_option_list, 1),
                                        CALL(hedgerow_model_parse, 2),
                                        CALL(hedgerow_model_read, 1),
                                        CALL(hedgerow_model_write, 2),
                                        CALL(hedgerow_model_text, 1),
                                        CALL(hedgerow_model_facts, 1),
                                        CALL(hedgerow_model_schema, 1),
                                        CALL(hedgerow_model_releases, 1),
                                        CALL(hedgerow_model_summary, 1),
                                        CALL(hedgerow_model_tree, 2),
                                        CALL(hedgerow_predict, 3),
                                        CALL(hedgerow_importance, 1),
                                        CALL(hedgerow_shapes_list, 1),
                                        CALL(hedgerow_evaluate_exact, 3),
                                        CALL(hedgerow_evaluate_private, 3),
                                        CALL(hedgerow_generate_hospital, 3),
                                        CALL(hedgerow_ledger_make, 3),
                                        CALL(hedgerow_ledger_load, 1),
                                        CALL(hedgerow_ledger_total, 1),
                                        CALL(hedgerow_ledger_entries, 1),
                                        CALL(hedgerow_ledger_stop, 1),
                                        {NULL, NULL, 0}};

void R_init_hedgerow(DllInfo *info);

void R_init_hedgerow(DllInfo *info) {
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
