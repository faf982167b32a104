#!/usr/bin/env python3
"""Proofs are read again when the code they speak of changes: every NAME.proof.md in src ends in lines
"Source: FILE sha256 HEX" (FILE beside the proof, or a path from the root) that must match the files as they are. Sources on which a guarantee rests are in the Source line of some proof. A proof that a comment names
exists. usage: proofs.py ROOT"""
import hashlib
import os
import re
import sys

import source

MECHANISMS = ['src/privacy/' + name for name in ('laplace.c', 'gaussian.c', 'exponential.c', 'permute_and_flip.c', 'quantiles.c',
                                                'accountant.c')]
CRITICAL = ['src/' + name for name in (
    'federation/federated/federated_average.c', 'federation/sums/federated_bounds.c', 'federation/sums/federated_evaluation.c', 'fit/measure/shared_bounds.c', 'fit/measure/shared_evaluation.c', 'federation/machines/oneshot_owner.c', 'federation/hedge/federated_hedge.c', 'federation/hedge/hedge_question_wire.c', 'federation/sums/federated_id3.c', 'federation/sums/federated_statistics.c', 'federation/sums/federated_survival_curve.c', 'federation/sums/summed_job.c', 'federation/sums/summed_owner.c', 'federation/sums/id3_question.c', 'federation/machines/securesum_owner.c', 'federation/protocol/beginning.c', 'privacy/crypto/mask.c',
    'privacy/sample.c', 'privacy/crypto/csprng.c', 'privacy/gate.c', 'privacy/gate.h', 'privacy/gdp.c', 'privacy/mechanisms.c', 'privacy/noise.c', 'privacy/quantile_machine.c', 'privacy/sensitivity.h', 'privacy/buckets.h', 'tables/bins/edges.c', 'tables/bins/edge_machine.c', 'tables/bins/edge_levels.c',
    'trees/stats/round_gain.c', 'trees/stats/median_score.c', 'trees/tree/block_walk.c', 'trees/stats/gradient.c', 'trees/grow/grow.c',
    'methods/simfl/owned_records.c', 'methods/simfl/regions.c', 'trees/similar/lsh.c', 'trees/candidates/hedge_records.c', 'trees/records/stats_source.c', 'trees/stats/impurity.c', 'trees/tree/link.c', 'trees/records/local_gradients.c', 'trees/records/local_labels.c', 'trees/records/local_source.c', 'trees/records/local_stats.c', 'trees/stats/split_candidates.c', 'trees/stats/packing.h', 'trees/tree/parts.c', 'trees/candidates/reliability.c', 'trees/candidates/score_gradients.c', 'trees/candidates/hazard_gradients.c', 'tables/schema/survival_code.h', 'trees/candidates/candidate_scan.c', 'trees/candidates/candidate_sums.c', 'trees/candidates/candidate_trees.c', 'trees/candidates/leaf_finder.c', 'base/kernels/block_loops.h', 'base/kernels/gradients.h', 'base/kernels/block_avx2.h', 'base/kernels/block_avx512.h', 'base/kernels/block_neon.h', 'trees/tree/tree.c', 'trees/tree/walk.c',
    'methods/hedge/calibration.c', 'methods/hedge/hazards.c', 'methods/simfl/dp_simfl.c', 'methods/forests/diprime.c', 'methods/boosting/dpboost.c', 'methods/hedge/hedge.c', 'methods/hedge/hedge_machine.c', 'methods/hedge/hedge_objective.c', 'methods/hedge/hedge_plan.c',
    'methods/forests/class_leaves.c', 'methods/forests/id3.c', 'methods/forests/id3_machine.c', 'methods/boosting/inprivate.c', 'methods/boosting/inprivate_tree.c', 'methods/forests/private_forest.c', 'methods/boosting/seq_para.c', 'methods/boosting/single_tree.c', 'methods/statistics/overview.c', 'methods/statistics/overview_counts.c', 'methods/statistics/overview_figures.c', 'methods/statistics/statistics.c', 'methods/survival/curve_counts.c', 'methods/survival/curve_model.c', 'methods/survival/survival_curve.c',
    'fit/conformal.c', 'fit/level_sums.c', 'federation/hedge/federated_interval.c', 'federation/federated/record_sides.c', 'fit/cuts.c', 'fit/fit.c', 'fit/measure/evaluation.c', 'fit/measure/evaluation_figures.c', 'trees/candidates/evaluation_counts.c', 'trees/candidates/evaluation_counts.h', 'federation/federated/rounds.c')]
SOURCE = re.compile(r'^Source: (\S+) sha256 ([0-9a-f]{64})$')


def last_lines(text):
    """The Source lines that end a proof: [(line number, file, hash)]."""
    lines, found = text.rstrip('\n').split('\n'), []
    while lines and SOURCE.match(lines[-1]):
        found.append((len(lines),) + SOURCE.match(lines[-1]).groups())
        lines.pop()
    return found


def check(root, proof, problems):
    """Paths of the files that a proof speaks of."""
    cited = last_lines(source.read(root, proof))
    if not cited:
        problems.append('%s:1: does not end in "Source: FILE sha256 HEX"; tools/proof-hash.sh prints the line' % proof)
    paths = set()
    for line, name, wanted in cited:
        path = name if '/' in name else os.path.join(os.path.dirname(proof), name)
        if not os.path.isfile(os.path.join(root, path)):
            problems.append('%s:%d: there is no %s' % (proof, line, path))
            continue
        with open(os.path.join(root, path), 'rb') as f:
            if hashlib.sha256(f.read()).hexdigest() != wanted:
                problems.append('%s:%d: %s has changed since the proof was read; read both again, mend the proof, then paste what '
                                '"tools/proof-hash.sh %s" prints' % (proof, line, path, path))
        paths.add(path)
    return paths


def check_mentions(root, proofs, problems):
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        text = source.read(root, path)
        problems += ['%s:%d: there is no %s' % (path, source.line_of(text, m.start()), m.group(0))
                     for m in re.finditer(r'\w+\.proof\.md', text) if m.group(0) not in proofs]


def main():
    root, problems = sys.argv[1], []
    proofs = source.files(root, 'src', suffixes=('.proof.md',))
    cited = {proof: check(root, proof, problems) for proof in proofs}
    for path in MECHANISMS:
        proof = path[:-2] + '.proof.md'
        if os.path.isfile(os.path.join(root, path)) and path not in cited.get(proof, set()):
            problems.append('%s:1: %s must prove it and end in its Source line' % (path, proof))
    pinned = set().union(*cited.values())
    problems += ['%s:1: no proof ends in its Source line; a guarantee rests on it' % path for path in CRITICAL if path not in pinned]
    check_mentions(root, {os.path.basename(proof) for proof in proofs}, problems)
    source.report(problems)


main()
