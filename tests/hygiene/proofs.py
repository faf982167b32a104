#!/usr/bin/env python3
"""Proofs are read again when the code they speak of changes: every NAME.proof.md in src ends in lines
"Source: FILE sha256 HEX" (FILE beside the proof, or a path from the root) that must match the files as they are. Sources on which a guarantee rests are in the Source line of some proof. A proof that a comment names
exists. usage: proofs.py ROOT"""
import hashlib
import os
import re
import sys

import source

MECHANISMS = ['src/privacy/' + name for name in ('laplace.c', 'gaussian.c', 'exponential.c', 'permute_and_flip.c', 'shared_gaussian.c', 'shared_laplace.c', 'quantiles.c',
                                                'accountant.c')]
CRITICAL = ['src/' + name for name in (
    'federated/federated_average.c', 'federated/federated_bounds.c', 'federated/federated_evaluation.c', 'fit/shared_bounds.c', 'fit/shared_evaluation.c', 'protocol/oneshot_owner.c', 'federated/federated_hedge.c', 'federated/hedge_question.c', 'federated/federated_id3.c', 'federated/summed_job.c', 'federated/id3_question.c', 'protocol/securesum_owner.c', 'protocol/beginning.c', 'crypto/mask.c',
    'random/sample.c', 'random/csprng.c', 'privacy/gate.c', 'privacy/gdp.c', 'privacy/noise.c', 'privacy/quantile_machine.c', 'privacy/release.c', 'privacy/running_total.c', 'privacy/sensitivity.h', 'privacy/buckets.h', 'bins/edges.c', 'bins/edge_machine.c', 'bins/edge_levels.c',
    'stats/round_gain.c', 'stats/median_score.c', 'tree/block_walk.c', 'stats/hessian.c', 'stats/gradient.c', 'grow/grow.c',
    'stats/owned_records.c', 'stats/regions.c', 'similar/lsh.c', 'stats/hedge_records.c', 'stats/id3_records.c', 'stats/impurity.c', 'tree/link.c', 'stats/local_gradients.c', 'stats/local_labels.c', 'stats/local_source.c', 'stats/local_stats.c', 'stats/split_candidates.c', 'stats/packing.h', 'tree/parts.c', 'stats/reliability.c', 'stats/score_gradients.c', 'stats/candidate_scan.c', 'stats/candidate_trees.c', 'stats/leaf_finder.c', 'kernels/block_loops.h', 'kernels/gradients.h', 'kernels/block_avx512.h', 'tree/tree.c', 'tree/walk.c',
    'methods/calibration.c', 'methods/dp_simfl.c', 'methods/diprime.c', 'methods/dpboost.c', 'methods/hedge.c', 'methods/hedge_machine.c', 'methods/hedge_plan.c',
    'methods/class_leaves.c', 'methods/id3.c', 'methods/id3_machine.c', 'methods/inprivate.c', 'methods/inprivate_tree.c', 'methods/para.c', 'methods/private_forest.c', 'methods/seq.c', 'methods/single_tree.c',
    'fit/fit.c', 'fit/evaluation.c', 'fit/evaluation_figures.c', 'stats/evaluation_counts.c', 'stats/evaluation_counts.h', 'federated/rounds.c')]
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
