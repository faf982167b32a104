#!/usr/bin/env python3
"""Checks the proofs of proofs/*.v with Coq: every file is compiled anew, and of every theorem the axioms that it rests on are
printed. They must be among those that the standard library's real numbers rest on. Exits 77 (skipped) where coqc is not installed.
usage: coq.py ROOT"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What the standard library of Coq 8.16 assumes to construct the real numbers. The excluded middle
# (Classical_Prop.classic) is not among them.
ALLOWED = ('ClassicalDedekindReals.sig_forall_dec', 'ClassicalDedekindReals.sig_not_dec', 'FunctionalExtensionality.functional_extensionality_dep')
REQUIRE = re.compile(r'^From Hedgerow Require Import ([\w\s]+)\.$', re.M)
THEOREM = re.compile(r'^\s*Theorem (\w+)', re.M)
AXIOMS, CLOSED = 'Axioms:', 'Closed under the global context' # how an answer begins
SKIPPED = 77


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def in_order(texts):
    """Names of the files, each after those that it requires."""
    ordered = []

    def place(name):
        if name not in ordered:
            for required in ' '.join(REQUIRE.findall(texts[name])).split():
                place(required)
            ordered.append(name)
    for name in sorted(texts):
        place(name)
    return ordered


def compile_file(folder, name):
    """What coqc prints; ends the run if it refuses the file."""
    done = subprocess.run(['coqc', '-q', '-R', '.', 'Hedgerow', name + '.v'], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        print(done.stdout)
        sys.exit('proofs/%s.v: Coq does not accept it' % name)
    return done.stdout


def assumptions(folder, theorems):
    """theorem -> the axioms that it rests on, and whatever else Coq says of it. `theorems`: (file, name)."""
    with open(os.path.join(folder, 'asked.v'), 'w', encoding='utf-8') as f:
        f.write('From Hedgerow Require %s.\n' % ' '.join(sorted({name for name, _ in theorems})))
        f.writelines('Print Assumptions Hedgerow.%s.%s.\n' % theorem for theorem in theorems)
    answers = []
    for line in compile_file(folder, 'asked').rstrip('\n').split('\n'):
        if line in (AXIOMS, CLOSED):
            answers.append([])
        elif not line.startswith(' '):
            answers[-1].append(line.split(' :')[0])
    if len(answers) != len(theorems):
        sys.exit('Coq answers %d questions of %d' % (len(answers), len(theorems)))
    return dict(zip(theorems, answers))


def main():
    root = sys.argv[1]
    if not shutil.which('coqc'):
        print('skipped: coqc is not installed; tools/setup.sh proofs installs it')
        sys.exit(SKIPPED)
    texts = {os.path.basename(path)[:-len('.v')]: read(path) for path in glob.glob(os.path.join(root, 'proofs', '*.v'))}
    problems, theorems = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            with open(os.path.join(folder, name + '.v'), 'w', encoding='utf-8') as f:
                f.write(text)
        for name in in_order(texts):
            compile_file(folder, name)
            theorems += [(name, theorem) for theorem in THEOREM.findall(texts[name])]
        if not theorems:
            sys.exit('proofs holds no theorem')
        for (name, theorem), axioms in assumptions(folder, theorems).items():
            print('proofs/%s.v:%s rests on %s' % (name, theorem, ', '.join(axioms) or 'no axiom'))
            problems += ['proofs/%s.v: %s rests on %s' % (name, theorem, axiom) for axiom in axioms if axiom not in ALLOWED]
    print('%d theorems in %d files' % (len(theorems), len(texts)))
    sys.exit('\n'.join(problems) if problems else 0)


main()
