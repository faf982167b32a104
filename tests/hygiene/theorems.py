#!/usr/bin/env python3
"""Texts and Coq speak of the same theorems: every "proofs/FILE.v:NAME" of a NAME.proof.md is a theorem of that file, and every theorem
of proofs/*.v is named so by a text beside the code. No file of proofs assumes what it should prove; what the theorems rest on is
asked of Coq itself (tests/proofs/coq.py). usage: theorems.py ROOT"""
import os
import re
import sys

import source

NAMED = re.compile(r'\bproofs/(\w+\.v):(\w+)')
THEOREM = re.compile(r'^\s*Theorem (\w+)', re.M)
SECTION = re.compile(r'\b(Section|End)\s+\w+\s*\.')
# In a section these are hypotheses that its theorems state; elsewhere they are axioms.
LOCAL = re.compile(r'^\s*(?:Local\s+)?(Variables?|Hypothes[ie]s|Context)\b', re.M)
ASSUMED = re.compile(r'\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|Primitive|Module)\b|'
                     r'\b(?:Unset|Set) (?:Guard|Positivity|Universe) Checking\b|\bDeclare ML Module\b')


def without_comments(text):
    """Blanks the comments, which nest."""
    kept, depth = [], 0
    for piece in re.split(r'(\(\*|\*\))', text):
        depth += piece == '(*'
        kept.append(re.sub(r'[^\n]', ' ', piece) if depth else piece)
        depth -= piece == '*)'
    return ''.join(kept)


def check_file(path, text, problems):
    problems += ['%s:%d: "%s" takes for granted what is to be proved' % (path, source.line_of(text, m.start()), m.group(0))
                 for m in ASSUMED.finditer(text)]
    for m in LOCAL.finditer(text):
        depth = sum(1 if s.group(1) == 'Section' else -1 for s in SECTION.finditer(text, 0, m.start()))
        if depth <= 0:
            problems.append('%s:%d: %s outside a section is an axiom' % (path, source.line_of(text, m.start(1)), m.group(1)))


def main():
    root, problems, theorems = sys.argv[1], [], {}
    for path in source.files(root, 'proofs', suffixes=('.v',)):
        text = without_comments(source.read(root, path))
        check_file(path, text, problems)
        theorems.update({(os.path.basename(path), m.group(1)): source.line_of(text, m.start(1)) for m in THEOREM.finditer(text)})
    named = set()
    for path in source.files(root, 'src', suffixes=('.proof.md',)):
        text = source.read(root, path)
        for m in NAMED.finditer(text):
            named.add(m.groups())
            if m.groups() not in theorems:
                problems.append('%s:%d: %s is no theorem' % (path, source.line_of(text, m.start()), m.group(0)))
    problems += ['proofs/%s:%d: no text beside the code names %s' % (file, line, name) for (file, name), line in theorems.items()
                 if (file, name) not in named]
    print('%d theorems' % len(theorems))
    source.report(problems)


main()
