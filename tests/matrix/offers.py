"""What the product itself offers: options of commands, keys of files, fields of the interface, capabilities of methods. A new one without a row is told."""
import os
import re
import subprocess
import tempfile

import features

COMMANDS = ('train', 'bin', 'evaluate', 'simulate')
# Commands that use records for what leaves them have options above; all others, and why no cell runs them.
OTHER_COMMANDS = {
    'split': "for the owner's eyes", 'schema init': 'proposes: what it takes from records is marked', 'schema check': "for the owner's eyes",
    'schema review': 'writes what a person decides', 'tune': 'runs what train runs, and one choice, whose scores tests/fit/measure/test_tune.c has with a record and a person more', 'predict': "for the owner's eyes",
    'show': 'of a model', 'export': 'of a model', 'methods': 'public facts', 'ledger show': 'of a ledger', 'ledger create': 'of a ledger',
    'ledger freeze': 'of a ledger', 'ledger verify': 'of a ledger', 'ledger restore': 'of a ledger', 'ledger charge': 'of a ledger', 'ledger witness': 'of a ledger', 'policy check': 'of an owner', 'jobs approve': 'of an owner', 'jobs refuse': 'of an owner',
    'serve': "an owner's half of what simulate runs", 'coordinate': "the coordinator's half of what simulate runs", 'jobs cancel': 'of a party', 'jobs reconcile': 'of a party',
    'jobs': 'of a party', 'jobs log': 'of a party', 'jobs fetch': 'copies what coordinate wrote', 'submit': 'copies a job file', 'status': 'of a party', 'keygen': 'a key', 'attack simfl': "for the owner's eyes",
}
OTHER_GROUPS = ('federation ', 'generate ')


def run(tool, *words, folder=None):
    return subprocess.run([tool, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def options_of(tool, command):
    text = run(tool, command, '--help').stdout
    found = re.findall(r'^  (?:-\w, )?--([a-z-]+)', text, re.M) + re.findall(r'^  ([A-Z]{2,})  ', text, re.M)
    return [(command, name) for name in found if name != 'help']


def keys_of(tool, place, text):
    """From the message that an unknown key gets."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, 'file.yaml')
        with open(name, 'w', encoding='utf-8') as file:
            file.write(text)
        words = {'schema': ['schema', 'check', '--data', name, '--schema', name], 'job': ['simulate', name, '--data', name, '--model', 'none.json']}[place]
        said = run(tool, *words, folder=folder).stderr
    keys = re.search(r'the keys are (.*)', said)
    assert keys, 'no list of keys: %s' % said
    return [(place, key) for key in keys.group(1).split(', ')]


def members(path, struct):
    """Names of the fields of a struct."""
    with open(os.path.join(features.ROOT, path), encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    body = re.search(r'typedef struct %s \{(.*?)^\}' % struct, text, re.S | re.M).group(1)
    found = []
    for field in body.split(';'):
        function = re.search(r'\(\*(\w+)\)', field)
        names = [function.group(1)] if function else [re.search(r'(\w+)(?:\[\w+\])?\s*$', part).group(1) for part in field.split(',') if part.strip()]
        found += names
    return found


def offered(tool):
    found = [option for command in COMMANDS for option in options_of(tool, command)]
    found += keys_of(tool, 'schema', 'hedgerow-schema: 1\nunheard-of: 1\n') + keys_of(tool, 'job', 'hedgerow-job: 1\nunheard-of: 1\n')
    found += [('field', name) for name in members('include/hedgerow/fit.h', 'hr_fit_options')]
    return found + [('method', name) for name in members('src/methods/method.h', 'hr_method')]


def commands_of(tool):
    listed = run(tool, '--help').stdout.split('\ncommands:\n')[1].split('\n  help ')[0]
    return re.findall(r'^  (\w+(?: \w+)?)\b', listed, re.M)


def unlisted(real):
    rows = [offer for feature in features.FEATURES for offer in feature.offers]
    plain = [offer for group in features.PLAIN.values() for offer in group]
    known = rows + plain
    found = ["%s '%s' belongs to no feature: give it a row in FEATURES, and answers, or say in PLAIN why no cell depends on it" % offer
             for offer in sorted(set(real) - set(known))]
    found += ["%s '%s' is offered no more: take it off features.py" % offer for offer in sorted(set(known) - set(real))]
    return found + ["%s '%s' is listed twice" % offer for offer in sorted(set(known)) if known.count(offer) > 1]


def problems(tool):
    real = offered(tool)
    assert len(unlisted(real + [('train', 'new')])) == len(unlisted(real)) + 1, 'a new option is not told'
    found = unlisted(real)
    commands = {c for c in commands_of(tool) if not c.startswith(OTHER_GROUPS)}
    found += ["the command '%s' belongs to no feature: say in offers.py why no cell runs it, or take its options in" % c
              for c in sorted(commands - set(COMMANDS) - set(OTHER_COMMANDS))]
    found += ["there is no command '%s': take it off offers.py" % c for c in sorted((set(COMMANDS) | set(OTHER_COMMANDS)) - commands)]
    methods = set(features.method_sources())
    found += ["there is no method '%s': take it off NOT_TRAINED" % m for m in sorted(set(features.NOT_TRAINED) - methods)]
    return found
