#!/usr/bin/env python3
"""The exact number of records is a secret: who asks for it in src/methods, src/fit and src/federation stands in a list, with how often and
what for. A plan, a clip or a setting that is made of it is made of what nobody paid for. usage: records.py ROOT"""
import re
import sys

import source

FOLDERS = ('src/methods', 'src/fit', 'src/federation')
ASKS = re.compile(r'\bhr_data_rows\s*\(|\bhr_cluster_rows\s*\(|\brows_of_fit\s*\(|\bhr_parts_size\s*\(|\b(?:b|boosting|binned)\s*(?:\.|->)\s*rows\b(?!\s*\[)|\bsource\s*->\s*capacity\b')

ROOM, LOOP, PACK = 'the size of a buffer', 'every record is visited', 'how many bits exact sums take'
NOT_PRIVATE = 'of a method or mode without privacy'
OWNER = 'a refusal before anything is spent, for the eyes of the owner (docs/explanation/privacy.md)'

# (file, function): (uses, what for)
ALLOWED = {
    ('src/methods/boosting/boosting.c', 'hr_boosting_pack'): (1, PACK),
    ('src/methods/forests/diprime.c', 'diprime_init'): (1, ROOM),
    ('src/federation/federated/federated_inprivate.c', 'vote_exactly'): (1, NOT_PRIVATE),
    ('src/methods/forests/private_forest.c', 'partition_records'): (1, NOT_PRIVATE),
    ('src/methods/boosting/gbdt.c', 'set_base_gbdt'): (1, NOT_PRIVATE),
    ('src/methods/boosting/gbdt.c', 'train_gbdt'): (2, PACK),
    ('src/methods/boosting/inprivate.c', 'hr_inprivate_halves'): (1, NOT_PRIVATE),
    ('src/methods/boosting/inprivate.c', 'boosting_init'): (9, ROOM + '; ' + LOOP),
    ('src/methods/boosting/inprivate.c', 'judge_round'): (3, NOT_PRIVATE),
    ('src/methods/boosting/inprivate_tree.c', 'gradient_input'): (1, NOT_PRIVATE),
    ('src/methods/boosting/inprivate_tree.c', 'paper_prepare'): (1, NOT_PRIVATE),
    ('src/methods/boosting/inprivate.c', 'rounds_of_persons'): (2, LOOP),
    ('src/methods/boosting/inprivate.c', 'train_inprivate_round'): (1, LOOP),
    ('src/methods/boosting/inprivate.c', 'train_inprivate'): (1, 'kept for ' + LOOP),
    ('src/methods/boosting/inprivate_tree.c', 'pack_residuals'): (1, PACK),
    ('src/methods/forests/plain_forest.c', 'make_forest_plan'): (1, NOT_PRIVATE),
    ('src/methods/statistics/overview_counts.c', 'hr_overview_count'): (1, LOOP),
    ('src/methods/simfl/simfl.c', 'divide_records'): (1, ROOM),
    ('src/methods/simfl/simfl.c', 'start_owners'): (1, NOT_PRIVATE),
    ('src/methods/simfl/simfl_owner.c', 'hr_simfl_owner_new'): (1, NOT_PRIVATE),
    ('src/methods/simfl/simfl.c', 'shuffle_rows'): (1, LOOP),
    ('src/methods/simfl/simfl.c', 'deal_evenly'): (1, LOOP),
    ('src/methods/simfl/simfl.c', 'deal_by_class'): (1, LOOP),
    ('src/methods/simfl/simfl.c', 'take_rows'): (1, LOOP),
    ('src/methods/simfl/simfl.c', 'hr_simfl_split'): (1, ROOM),
    ('src/methods/simfl/owned_records.c', 'hr_owned_records_new'): (1, ROOM),
    ('src/methods/simfl/regions.c', 'hr_regions_find'): (1, LOOP),
    ('src/methods/simfl/simfl_attack.c', 'divide_attack_records'): (1, 'of an attack, which releases nothing'),
    ('src/methods/simfl/simfl_records.c', 'hr_simfl_records_new'): (1, NOT_PRIVATE),
    ('src/methods/simfl/simfl_records.c', 'hr_simfl_records_match'): (1, NOT_PRIVATE),
    ('src/methods/simfl/simfl_records.c', 'hr_simfl_records_gradients'): (1, NOT_PRIVATE),
    ('src/fit/conformal.c', 'hr_conformal_take_sides'): (2, ROOM + '; ' + LOOP),
    ('src/fit/conformal.c', 'hr_conformal_divide'): (1, LOOP),
    ('src/fit/conformal.c', 'hr_conformal_divide_by'): (1, LOOP),
    ('src/federation/hedge/federated_interval.c', 'hr_federated_interval_divide'): (1, ROOM),
    ('src/federation/federated/record_sides.c', 'mark_block'): (1, LOOP),
    ('src/federation/federated/record_sides.c', 'find_sides'): (1, ROOM + '; ' + LOOP),
    ('src/federation/federated/record_sides.c', 'hr_record_sides'): (1, LOOP),
    ('src/fit/conformal.c', 'hr_conformal_count_levels'): (1, ROOM + '; ' + LOOP),
    ('src/fit/fit.c', 'check_fit'): (1, 'that there are records at all is public'),
    ('src/fit/fit.c', 'check_memory'): (1, OWNER),
    ('src/fit/fit.c', 'score_by_start'): (1, ROOM),
    ('src/fit/fit.c', 'check_before_draws'): (1, OWNER),
    ('src/fit/fit.c', 'rows_of_fit'): (2, 'for those of this list who ask it'),
    ('src/fit/measure/evaluation.c', 'prepare_evaluation'): (1, OWNER),
    ('src/fit/measure/tune.c', 'divide_budget'): (1, OWNER),
    ('src/fit/measure/shared_evaluation.c', 'hr_shared_evaluation_count'): (1, 'of an empty table nothing is predicted, and its sums are 0'),
    ('src/fit/rank_steps.c', 'take_start'): (1, ROOM),
    ('src/fit/rank_steps.c', 'take_hold_out'): (1, LOOP),
    ('src/fit/rank_steps.c', 'hr_ranks_sample'): (1, 'of a rank: which ones of all ranks are its own'),
    ('src/fit/rank_steps.c', 'take_sample'): (2, LOOP + '; of a rank: which ones of all ranks are its own'),
    ('src/fit/start.c', 'hr_person_sample_draw'): (2, ROOM + '; ' + LOOP),
    ('src/fit/start.c', 'hr_person_sample_keep'): (1, ROOM),
    ('src/fit/weights.c', 'hr_record_weights_check'): (1, OWNER),
    ('src/fit/weights.c', 'weigh'): (1, LOOP),
    ('src/fit/weights.c', 'hr_weights_apply'): (1, ROOM),
    ('src/federation/federated/federated_inprivate.c', 'score_tails'): (1, LOOP),
    ('src/federation/federated/federated_simfl.c', 'check_simfl_records'): (1, NOT_PRIVATE),
    ('src/federation/federated/federated_simfl.c', 'open_simfl_keeper'): (1, NOT_PRIVATE),
    ('src/federation/federated/rounds.c', 'take_round_records'): (1, LOOP),
    ('src/federation/federated/rounds.c', 'hr_round_records_make'): (1, ROOM),
    ('src/federation/federated/rounds.c', 'hr_rounds_of'): (1, LOOP),
    ('src/federation/work/owner_work.c', 'is_within_bounds'): (1, OWNER),
    ('src/federation/work/simulate.c', 'take_parts'): (1, LOOP),
    ('src/federation/work/simulation.c', 'hr_assign_records'): (1, LOOP),
}


def uses_of(text):
    """{function: lines of its uses}; None: outside of functions. The definition of hr_parts_size is no use."""
    code, functions, uses = source.code(text), source.functions(text), {}
    for match in ASKS.finditer(code):
        line = source.line_of(code, match.start())
        name = next((n for n, first, length in functions if first <= line < first + length), None)
        if name and re.match(r'%s\b' % name, match.group(0)):
            continue
        uses.setdefault(name, []).append(line)
    return uses


def main():
    root, problems, left = sys.argv[1], [], dict(ALLOWED)
    for path in source.files(root, *FOLDERS, suffixes=('.c', '.h')):
        for name, lines in uses_of(source.read(root, path)).items():
            allowed = left.pop((path, name), (0, ''))[0]
            if len(lines) != allowed:
                problems.append('%s:%d: %s asks for the exact number of records %d times, %d allowed; use the released number, or '
                                'list it in tests/hygiene/records.py' % (path, lines[-1], name, len(lines), allowed))
    problems += ['tests/hygiene/records.py:1: %s of %s does not ask for the number of records any more; take it off the list' % (name, path)
                 for path, name in left]
    source.report(problems)


main()
