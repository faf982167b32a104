"""What the scripts that measure accuracy share: their arguments, a fit with its metrics, an interpreter that has a module, and parts
of a page that are printed while they are made."""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import pages
import sets

HERE = os.path.dirname(os.path.abspath(__file__))


def with_module(module, package):
    """Starts again under an interpreter that has a module, if this one has not."""
    if importlib.util.find_spec(module):
        return
    for python in filter(None, [os.environ.get('PEER_PYTHON'), '/usr/bin/python3']):
        if os.path.exists(python) and subprocess.run([python, '-c', 'import ' + module], stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(python, [python] + sys.argv)
    sys.exit('%s: no %s; "apt-get install python3-%s", or name an interpreter in PEER_PYTHON' % (os.path.basename(sys.argv[0]), package, module))


def with_sklearn():
    with_module('sklearn', 'scikit-learn')


def train(program, folder, model, arguments):
    """arguments: the method's name, and its options."""
    schema = os.path.join(folder, 'schema.yaml')
    subprocess.run([program, 'train', '--data', sets.path_of(folder, 'train'), '--schema', schema, '--model', model, '--threads', '1', '--quiet', '--method', *arguments],
                   check=True)


def asked(program, folder, arguments, question):
    """What a command says of the test records with a model that was trained so."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        train(program, folder, model, arguments)
        return subprocess.run([program, *question, '--model', model, '--data', sets.path_of(folder, 'test')], check=True,
                              stdout=subprocess.PIPE, text=True).stdout


def metrics(program, folder, arguments):
    """Of the test records: what "hedgerow evaluate" tells."""
    return json.loads(asked(program, folder, arguments, ['evaluate', '--json']))


def methods(program):
    """The names of those that this build has."""
    said = subprocess.run([program, 'methods'], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[0] for line in said.split('\n') if line[:1].strip()}


def settings(program, rows):
    """The paragraph under a comparison: every option of each row, {title: arguments of train}, but epsilon, which tables have."""
    return 'Settings: ' + '; '.join('%s: %s' % (title, options_of(program, arguments)) for title, arguments in rows.items()) + '.'


def options_of(program, arguments):
    """All options of a fit, those left to their defaults included."""
    method, words = arguments[0], list(arguments[1:])
    told = json.loads(subprocess.run([program, 'methods', method, '--json'], check=True, stdout=subprocess.PIPE, text=True).stdout)
    paper = 'paper' in words
    default = 'default_in_paper' if paper else 'default'
    found = {option['name']: option[default] for option in told['options'] if option.get(default)}
    for flag, value in zip(words, words[1:]):
        if flag == '--option':
            found.update([value.split('=')])
        elif flag.startswith('--') and flag != '--mode':
            found[flag[2:]] = value
    found.pop('epsilon', None)
    mode = [', mode ' + ('paper' if paper else 'sound')] if told['private'] else ['']
    return ', '.join(['method ' + method + mode[0], *('%s %s' % of for of in found.items())])


def boosting(classes, **settings):
    """scikit-learn's gradient boosting, without privacy."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=0, **settings)


class Results:
    """A file of results: one line a figure, {key: value}."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if os.path.exists(path):
            for line in pages.read(path).splitlines():
                key, value = json.loads(line)
                self.known[tuple(key)] = value

    def note(self, key, value):
        self.known[key] = value
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        with open(self.path, 'a', encoding='utf-8') as f:
            f.write(json.dumps([key, value]) + '\n')


def parser(doc):
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument('--hedgerow', default='build/hedgerow')
    made.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', os.path.join(HERE, '..', '..', 'shared', 'data')))
    made.add_argument('--cache', default='build/accuracy', help='where prepared sets are kept (build/accuracy)')
    made.add_argument('--sets', type=lambda names: names.split(','), help='names, with commas')
    made.add_argument('--processes', type=int, default=2, metavar='N', help='that measure at a time (2)')
    made.add_argument('--into', metavar='PLACE', help='put every part in this folder as PART.json, too, or between its marks in this page (docs/reference/results)')
    return made


def check(args, parts):
    """Before the long work."""
    if not os.path.exists(os.path.join(args.data, 'prepare.py')):
        sys.exit('%s: there is no prepare.py in %s; HEDGEROW_DATA names the folder of data sets' % (os.path.basename(sys.argv[0]), args.data))
    if args.into:
        pages.check(args.into, parts)


def run(args, parts):
    """parts: name -> what yields its lines, given args and a pool of processes."""
    with concurrent.futures.ProcessPoolExecutor(args.processes) as pool:
        for name, lines_of in parts.items():
            lines = []
            print('\n## %s\n' % name)
            for line in lines_of(args, pool):
                print(line, flush=True)
                lines.append(line)
            if args.into:
                pages.put(args.into, name, lines)
