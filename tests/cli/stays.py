#!/usr/bin/env python3
"""A table of hospital stays as registers hold them: a wide number of the patient, one to thirty stays of each, coded diagnoses, '?' for missing.
The unit is proposed, its column is no feature, codes are categories; and a model that protects patients is measured beside one that protects stays.
usage: stays.py HEDGEROW"""
import json
import os
import random
import subprocess
import sys
import tempfile

PATIENTS, STAYS_MAX = 6000, 30
CODES = ['250', '401.9', 'E11', 'I10', 'I50', 'J44', 'N18', 'V58']


def patients(r, numbers):
    """Stays of each patient: those with more stays before come back more often."""
    for number in numbers:
        sex, born, count = r.choice('fm'), 1925 + r.randrange(75), min(STAYS_MAX, 1 + int(r.expovariate(.45)))
        risk = (2020 - born) / 100 + r.gauss(0, .15)
        for stay in range(count):
            code = r.choice(CODES) if r.random() > .03 else '?'
            score = risk + .35 * (code in ('E11', 'I50', 'N18')) + .06 * stay + r.gauss(0, .25)
            yield [number, sex, born, code, 1 + int(r.expovariate(.2)) % 14, '?' if r.random() < .1 else r.choice(CODES), stay, 'yes' if score > .95 else 'no']


def write(path, rows):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('patient_nbr,sex,born,diag_1,days,diag_2,stays_before,back\n')
        f.writelines(','.join(map(str, row)) + '\n' for row in rows)


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done


def check_proposal(tool):
    """What is proposed, and what is told to the owner alone."""
    told = run(tool, 'schema', 'init', '--data', 'stays.csv', '--label', 'back', '-o', 'proposed.yaml').stderr
    with open('proposed.yaml', encoding='utf-8') as f:
        text = f.read()
    assert 'unit: "patient_nbr"\nreview: [missing, unit]' in text, text
    assert '- name: "patient_nbr"\n    kind: unused' in text, text
    for column in ('diag_1', 'diag_2'):
        assert '- name: "%s"\n    kind: category' % column in text, text
    assert '"V58"' in text and 'patient_nbr: about' in told and 'sex, born' in told, told
    assert 'about' not in text, text


def decide(tool):
    """Two schemas of the same public facts, for patients and for stays."""
    # In the order of the proposal: label, patient_nbr, sex, born, diag_1, days, diag_2, stays_before, missing, unit.
    codes = 'type\n%s\nlist of codes\n' % '|'.join(sorted(CODES))
    answers = 'public study\npublic register\ntype\n1900\n2020\nform\n' + codes + 'type\n1\n14\nform\n' + codes + 'type\n0\n29\nform\nleave\n%sform\n%s'
    for name, unit in (('patients.yaml', 'public\n'), ('stays.yaml', 'type\nrecord\n')):
        done = run(tool, 'schema', 'review', 'proposed.yaml', '-o', name, input=answers % ('public ', unit))
        assert 'nothing is open' in done.stdout, done.stdout


def measure(tool, schema):
    """The error on stays of other patients, and the mean over patients of their error."""
    run(tool, 'train', '--data', 'stays.csv', '--schema', schema, '--epsilon', '2', '--model', 'm.json', '--force', '--quiet')
    stated = json.loads(run(tool, 'show', 'm.json', '--json').stdout)['guarantee']
    assert stated['private'] and stated['unit'] == ('one person' if schema == 'patients.yaml' else 'one record'), stated
    run(tool, 'predict', '--model', 'm.json', '--data', 'others.csv', '--keep', 'patient_nbr', '--keep', 'back', '-o', 'p.csv')
    with open('p.csv', encoding='utf-8') as f:
        header, *rows = [line.rstrip('\n').split(',') for line in f]
    os.remove('p.csv')
    wrong = {}
    for row in rows:
        cells = dict(zip(header, row))
        wrong.setdefault(cells['patient_nbr'], []).append(cells['class'] != cells['back'])
    stays = [miss for misses in wrong.values() for miss in misses]
    return sum(stays) / len(stays), sum(sum(misses) / len(misses) for misses in wrong.values()) / len(wrong)


def main():
    tool, r = os.path.abspath(sys.argv[1]), random.Random(7)
    numbers = r.sample(range(135, 189502619), 2 * PATIENTS)
    train, test = list(patients(r, numbers[:PATIENTS])), list(patients(r, numbers[PATIENTS:]))
    r.shuffle(train)
    share = sum(row[-1] == 'yes' for row in test) / len(test)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write('stays.csv', train)
        write('others.csv', test)
        check_proposal(tool)
        decide(tool)
        print('%d stays of %d patients; always "no" errs at %.3f of the stays of others' % (len(train), PATIENTS, min(share, 1 - share)))
        found = {schema: measure(tool, schema) for schema in ('patients.yaml', 'stays.yaml')}
        os.chdir('/')
    for schema, (stays, persons) in found.items():
        print('%-14s error of stays %.3f, mean error of patients %.3f' % (schema, stays, persons))
    # In four runs the errors of stays were .226 to .234 and .216 to .223: the limits are several times farther away than the runs from each other.
    assert all(stays < .8 * min(share, 1 - share) for stays, _ in found.values()), found
    assert abs(found['patients.yaml'][0] - found['stays.yaml'][0]) < .06, found


main()
