#!/usr/bin/env python3
"""docs/reference/claims.md lists every sentence that promises privacy, with where it is said, its proof and its test. Each row is as it says,
and no page, help, message or docstring has a sentence that looks like such a promise and is not listed. usage: claims.py ROOT"""
import os
import re
import sys

import evidence
import prose
import source

PAGE = 'docs/reference/claims.md'
OWN = (PAGE, 'docs/explanation/soundness.md')  # what speaks of promises

# How promises are worded. A pattern that finds what promises nothing is to be narrowed, not its sentence listed.
PROMISE = re.compile('|'.join((
    r'(?<!not )(?<!NOT )\b[Dd]ifferentially private\b(?! (?:mechanism|median|classification))',
    r'\bguarantees? (?:is (?:for|that|\()|holds?\b(?! for one table)|that are theorems)',
    r'\benough for the (?:whole )?guarantee\b|\bthe guarantee needs\b',
    r'(?<!what )(?<!thing )\bis proved\b|\bproved differential|\bbounded by a theorem\b',
    r'\b[Nn]o (?:other )?(?:party|owner|member|coalition)\b[^.;:]*\b(?:sees?|reads?|learns?|knows?|can)\b',
    r'\bNo party, |\bsent to (?:no|nobody)\b|\b[Nn]o (?:person|record) weighs\b|\b[Nn]obody (?:but|learns|sees|reads|else ever)\b',
    r'\bnever (?:leaves?|shown|sent|drawn|released|given back|answered|computed)\b|\bcan never (?:give|be raised)\b',
    r'(?<!not )\bleaves? (?:the|a|an|its|this|your) (?:building|machine|owner|process|house|hospital|site)\b',
    r'\b[Rr]ecords (?:never leave|stay|are sent|do not leave)\b',
    r'\bmay be published\b(?!$)|\breleased values\b|\bpublic facts (?:only|alone)\b(?!, says)|\bonly noisy\b',
    r'\bdepends? on (?:a|no|any) record\b|\bmoves no other\b',
    r'\b(?:in|into) no (?:model, |message|ledger)|\bNo (?:model|message)\b[^.]*\b(?:has|holds)\b|\bneither in a model\b',
    r'\b(?:cannot|can neither) (?:read|see|learn|open|be read by) (?:a|the|any|another)\b[^.;]*\b(?:packet|record|message|score|answer|sum)s?\b',
    r'\b(?:model|job|evaluation|figures) protects? (?!persons, but)',
    r'\blearns? (?:only|nothing|the total|no more|little)\b|\blearn of [^.]* only\b|\bno more than\b[^.]*\b(?:sum|total|tells?)\b',
    r'\btells (?:almost nothing|little|nothing|no more)\b|\bchanges the probability\b|\btimes as likely\b|\bwhichever other members\b',
    r'\bprivate (?:by (?:itself|themselves)|before it leaves|against|whatever|for the records)\b',
    r'\bbefore (?:any |the first |a )?(?:noise|random bit)\b|\bno noise before\b',
    r'\banswered twice\b|\bspent twice\b|\bnoise is never\b|\bdoes not occur\b|\bbreaks the proof\b|\bin every case\b|\bwent through the gate\b',
)))
COLUMNS = ['Sentence', 'Said in', 'Proof', 'Test', 'Conditions']


def wrong_row(root, said, cells):
    """What is wrong with one row. Adds its sentence to those of each place that says it."""
    if len(cells) != len(COLUMNS):
        yield 'a row has the cells %s' % ', '.join(COLUMNS)
        return
    sentence, places, proof, test, conditions = cells
    sentence = prose.joined(sentence)
    for place in re.findall(r'`([^`]+)`', places) or ['?']:
        if not os.path.isfile(os.path.join(root, place)):
            yield 'there is no %s' % place
        elif sentence not in prose.joined(prose.plain(root, place)):
            yield '%s does not say: %s' % (place, sentence)
        said.setdefault(place, []).append(sentence)
    yield from evidence.wrong_proofs(root, PAGE, proof)
    yield from evidence.wrong_tests(root, test)
    if not conditions:
        yield 'it names no conditions'


def main():
    root, said, problems = sys.argv[1], {}, []
    found = list(evidence.rows(source.read(root, PAGE), COLUMNS))
    for number, cells in found:
        problems += ['%s:%d: %s' % (PAGE, number, what) for what in wrong_row(root, said, cells)]
    if not found:
        problems.append('%s:1: no rows; the table has the columns %s' % (PAGE, ', '.join(COLUMNS)))
    for place in prose.places(root):
        if place not in OWN:
            problems += ['%s:1: promises what %s does not list; prove it, test it and add a row: %s' % (place, PAGE, sentence)
                         for sentence in prose.sentences(prose.plain(root, place))
                         if PROMISE.search(sentence) and not any(sentence in listed for listed in said.get(place, ()))]
    source.report(problems)


main()
