#!/usr/bin/env python3
"""The hot loops of the kernels for AVX2 are vectors in the objects that were built: compilers that give up vectorising a loop say nothing.
usage: vectors.py ROOT LIBRARY_OF_KERNELS
Of each function below and of those that it calls in the same object: an instruction of the loop on vectors of 32 bytes, and no conversion of
single integers, which is what is left where a loop over them is no vector."""
import re
import shutil
import subprocess
import sys

import source

# function: what its loop computes with
LOOPS = {
    'hr_vector_floats_within': r'vcmp\w*ps',
    'hr_vector_columns_of_floats': r'vunpck[lh]pd',
    'hr_vector_add_by_place': r'vaddpd',
    'hr_vector_bins_of_numbers': r'vcvttpd2dqy?',
    'hr_avx2_walk_block': r'vpshufb',
    'hr_loop_places_of_block': r'vpcmpeqb|vpsubb',
    'hr_vector_best_cut': r'vdivpd',
    'hr_vector_best_cut_of_words': r'vdivpd',
    'hr_vector_sums_up_to': r'vpermd',
    'hr_loop_sums_of_words': r'vpsrlv?q',
    'hr_vector_logistic_words': r'vdivpd',
    'hr_loop_words_of': r'vpsllq',
    'hr_loop_step_scores': r'vpminsd',
    'hr_loop_cells_of_pair': r'vpmullw',
    'hr_loop_count_bytes': r'vpcmpeqb',
    'hr_loop_octets_within': r'vpsubb|vpmaxub|vpminub',
    'hr_vector_sums_of_octets': r'vpaddq',
    'hr_vector_divide_rows': r'vpermd',
}
SINGLE = re.compile(r'\bv?cvtsi2sd')


def disassembly(library):
    """name -> lines of its instructions."""
    said = subprocess.run(['objdump', '-d', '--no-show-raw-insn', library], check=True, stdout=subprocess.PIPE, text=True).stdout
    found, lines = {}, []
    for line in said.splitlines():
        head = re.match(r'[0-9a-f]+ <(.+)>:$', line)
        if head:
            lines = found[head.group(1)] = []
        else:
            lines.append(line)
    return found


def with_callees(functions, name):
    """Its instructions, and those of the functions of the same object that it calls or ends with."""
    seen, waiting = [], [name]
    while waiting:
        at = waiting.pop()
        if at in seen or at not in functions:
            continue
        seen.append(at)
        for line in functions[at]:
            waiting += re.findall(r'\b(?:call|jmp)q?\s+[0-9a-f]+ <([\w.]+)>', line)
    return [line for each in seen for line in functions[each]]


def main():
    library = sys.argv[2]
    if not shutil.which('objdump'):
        print('skipped: there is no objdump')
        sys.exit(source.SKIPPED)
    functions, problems = disassembly(library), []
    for name, instruction in LOOPS.items():
        if name not in functions:
            problems.append('%s: it has no function %s; correct the list in tests/hygiene/vectors.py' % (library, name))
            continue
        lines = with_callees(functions, name)
        if not any(re.search(r'\b(?:%s)\b.*%%ymm' % instruction, line) for line in lines):
            problems.append('%s: %s has no %s of 32 bytes; see why the compiler makes no vectors of its loop' % (library, name, instruction))
        if any(SINGLE.search(line) for line in lines):
            problems.append('%s: %s converts single integers; its loop is no vector, or its rest is too slow' % (library, name))
    print('%d loops looked at' % len(LOOPS))
    source.report(problems)


main()
