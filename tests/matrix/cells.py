"""One cell of the matrix: the real command with both features on, on neighbouring tables. What it hands to the gate may differ by what is charged, and
everything else not at all: the twin's gate is given the other run's exact values (traced.c), so that whatever differs in the model, on standard output, on
standard error, in the exit code, in the ledger or in the size of a file was learned from a record past the gate."""
import os
import re
import subprocess

import features
import notebook
import tables

SECONDS = 300
EPSILON = 8
SUSPECT = 5  # the exit code of a model whose sums failed checks
JOB_OF_METHOD = {'bounds': ('--schema', 'out.yaml'), 'evaluation': ('--figures', 'out.json'), 'hedge': ('--model', 'model.json')}
LAUNCH = ['mpirun', '--quiet', '--allow-run-as-root', '--oversubscribe', '--bind-to', 'none', '-n', '2']
# As tests/trees/cluster/cluster.py has it.
ENVIRONMENT = {'OMPI_MCA_mpi_yield_when_idle': '1', 'OMPI_MCA_btl': 'self,vader', 'OMPI_MCA_btl_vader_single_copy_mechanism': 'none', 'OMP_NUM_THREADS': '1',
               'OMPI_MCA_plm_rsh_agent': 'false', 'LC_ALL': 'C'}
METHOD_WORDS = {'hedge': [], 'dpboost': ['--trees', '4', '--depth', '2']}
SMALL_FOREST = ['--trees', '3', '--depth', '2']


class Variant:
    """One way of many to run a cell: a method, a privacy measure, a kind of label, and neighbours."""

    def __init__(self, method, delta, task, dealt=False):
        self.method, self.delta, self.task, self.dealt = method, delta, task, dealt

    def __str__(self):
        return '%s, delta %s, %s%s' % (self.method, self.delta, self.task, ', dealt' if self.dealt else '')


def variants(pair, setup):
    methods = features.methods_of(pair)
    assert methods, 'no method has both'
    number = all(f.name != 'class weights' for f in pair)
    # Times of events: each feature that they go with, by itself.
    times = [Variant('hedge', '1e-6', 'times')] if pair[0] is pair[-1] and pair[0].name not in features.NOT_OF_TIMES else []
    if setup.more_records:
        return [Variant('hedge', '0', 'classes', dealt=setup.owners)] + times
    if setup.owners:
        return times + [Variant('hedge', '1e-6', 'classes'), Variant('hedge', '0', 'numbers' if number else 'classes'), Variant('hedge', '0', 'classes', dealt=True)]
    # All methods where both are one; else one method that goes by public coins and one that grows trees.
    found = [Variant(method, '0', 'classes') for method in methods if (pair[0] is pair[1] and not setup.ranks) or method in METHOD_WORDS]
    if 'hedge' in methods:
        found.append(Variant('hedge', '1e-6', 'numbers' if number else 'classes'))
    return found + times


class Outcome:
    def __init__(self, code, out, err, files):
        self.code, self.out, self.err, self.files = code, out, err, files


class Side:
    """One of two neighbours: a folder with its table, in which the commands of the cell run."""

    def __init__(self, tool, folder, setup, variant):
        self.tool, self.folder, self.setup, self.variant = tool, folder, setup, variant
        self.files = ['first.csv', 'second.csv'] if setup.unit and setup.ranks else ()  # ranks have whole persons
        os.makedirs(folder)
        self.outcomes = []

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def run(self, words, environment=(), ranks=False):
        traces = dict({'HR_TRACE': 'untraced.txt'}, **dict(environment))
        done = subprocess.run((LAUNCH if ranks else []) + [self.tool, *words], cwd=self.folder, env=dict(os.environ, **ENVIRONMENT, **traces),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
        self.outcomes.append((words, done.returncode, done.stdout, done.stderr))
        # Of more records than the owners have the coordinator warns: sums do not fit their number.
        return done.returncode == 0 or (done.returncode == SUSPECT and bool(self.setup.more_records))

    def prepare(self, rows):
        unit, task = self.setup.unit, self.variant.task
        first, rest = tables.others(task, 2)
        self.write('table.csv', tables.text(rows))
        for name, part in zip(self.files, tables.at_two_ranks(rows)):
            self.write(name, tables.text(part))
        self.write('other.csv', tables.text(first + rest))
        self.write('schema.yaml', tables.schema(task, unit))
        self.write('records.yaml', tables.schema(task, False))
        words = ['ledger', 'create', 'ledger.db', '--epsilon', '100', '--delta', '0.01']
        return self.run(words) and (not self.setup.start or self.run(self.train_words('other.csv', 'start.json', schema='records.yaml', plain=True)))

    # ---- The commands ----

    def train_words(self, data, model, schema='schema.yaml', plain=False):
        method = self.variant.method
        files = self.files if self.files and data == 'table.csv' else [data]
        words = ['train', *(word for file in files for word in ('--data', file)), '--schema', schema, '--method', method, '--epsilon', str(EPSILON), '--delta', self.variant.delta, '--threads', '1']
        words += METHOD_WORDS.get(method, SMALL_FOREST) + ['--model', model]
        return words if plain else words + self.setup.words + (['--bins', '32', '--option', 'edges=public'] if self.setup.cache else [])

    def job(self, method):
        keys = ['hedgerow-job: 1', 'schema: schema.yaml', 'method: ' + method, 'epsilon: %d' % EPSILON] + self.setup.keys
        keys += ['delta: ' + self.variant.delta] if method == 'hedge' else []
        keys += ['columns: [age]'] if method == 'bounds' else []
        keys += ['model: model.json'] if method == 'evaluation' else []
        self.write('job.yaml', '\n'.join(keys) + '\n')

    def simulate_words(self, method, data):
        where = ['--owners', '2'] if self.variant.dealt else ['--data', 'other.csv']
        return ['simulate', 'job.yaml', '--data', data, *where, '--threads', '1', *JOB_OF_METHOD[method]]

    def measured(self, environment, more):
        """What the records of the table are used for. Every step but the last is made of other records. more: words of the last one."""
        setup, data = self.setup, 'table.csv'
        if setup.cache:
            if not self.run(['bin', '--data', 'table.csv', '--schema', 'schema.yaml', '--bins', '32', '-o', 'table.bins']):
                return False
            data = 'table.bins'
        if setup.evaluation:
            # Cells of caches and ranks evaluate a model of neither.
            plain = setup.cache or setup.ranks or setup.owners
            if not self.run(self.train_words('other.csv', 'model.json', plain=plain), {'HR_RECORDS': str(setup.more_records)}):
                return False
            if not setup.owners:
                return self.run(['evaluate', '--model', 'model.json', '--data', data, '--epsilon', str(EPSILON), '--ledger', 'ledger.db', *more],
                                environment, setup.ranks)
        if setup.owners:
            method = 'evaluation' if setup.evaluation else 'bounds' if setup.bounds else 'hedge'
            self.job(method)
            return self.run(self.simulate_words(method, data) + more, environment, setup.ranks)
        return self.run(self.train_words(data, 'model.json') + ['--ledger', 'ledger.db'] + more, environment, setup.ranks)

    def outcome(self):
        """What can be seen of it all."""
        self.run(['ledger', 'show', 'ledger.db'])
        files = {}
        for name in sorted(os.listdir(self.folder)):
            path = os.path.join(self.folder, name)
            if name.startswith(('model', 'out', 'start')):
                with open(path, 'rb') as file:
                    files[name] = file.read()
            elif name.endswith('.bins'):
                files[name] = os.path.getsize(path)
        said = [(code, out, err) for _, code, out, err in self.outcomes]
        return re.sub(r'\d{4}-\d\d-\d\dT[\d:]+Z', 'WHEN', repr(said)), files


# What the owner is told of the records past the gate, beside what may be published: their number, and how many cells bounds do not hold, which are
# those that a fit released where a table is evaluated.
OWN_CELLS = re.compile(r"hedgerow evaluate: warning: table.csv: field '\w+': [0-9.]+ % of the cells are outside the bounds.*?\\n")
OWN_ROWS = re.compile(r"((?<=\\ndata     )\d+(?= rows)|(?<=\"rows\": )\d+)")


def check_promise(setup, said):
    """Whom it says it protects: what the sums were compared for."""
    assert 'NOT DIFFERENTIALLY PRIVATE' not in said, 'it says that it is not private'
    promised = re.search(r'for adding or removing\s+one\s+(record|person)\b', said.replace('\\n', ' '))
    assert promised, 'it says of nobody that it protects them: %s' % said
    assert promised.group(1) == ('person' if setup.unit else 'record'), 'it says that it protects one %s' % promised.group(1)


def compare(base, twin, kind):
    (said, files), (twin_said, twin_files) = base.outcome(), twin.outcome()
    check_promise(base.setup, said)
    if base.setup.evaluation and base.setup.bounds:
        said, twin_said = OWN_CELLS.sub('', said), OWN_CELLS.sub('', twin_said)
    if kind == 'removed':
        said, twin_said = OWN_ROWS.sub('N', said), OWN_ROWS.sub('N', twin_said)
        for each in (files, twin_files):
            each.pop('table.bins', None)
    if said != twin_said:
        at = len(os.path.commonprefix([said, twin_said]))
        raise AssertionError('what is said differs: %s / %s' % (said[max(at - 60, 0):at + 60], twin_said[max(at - 60, 0):at + 60]))
    assert files.keys() == twin_files.keys(), 'other files: %s for %s' % (sorted(twin_files), sorted(files))
    for name, content in files.items():
        assert content == twin_files[name], '%s differs outside of what the gate released' % name


def run_variant(tool, folder, setup, variant, kind):
    """kind of release -> how far the line of it moved that moved most, over what it may."""
    last = setup.per_person > 0 or (setup.owners and not variant.dealt)
    pair = tables.Neighbours(variant.task, setup.unit, kind, last, MANY if setup.more_records else 0)
    more = ['--json'] if kind == 'changed' else []
    base, twin = (Side(tool, os.path.join(folder, side), setup, variant) for side in ('base', 'twin'))
    records = {'HR_RECORDS': str(setup.more_records), 'HR_TRACE': 'trace.txt'}
    for side, rows, environment in ((base, pair.base, records), (twin, pair.twin, dict(records, HR_REPLAY='../base/trace.txt', **pair.gap))):
        done = side.prepare(rows) and side.measured(environment, more)
        words, code, _, err = side.outcomes[-1]
        assert done, 'exit code %d of %s: %s' % (code, ' '.join(words), err)
    traces = [notebook.read(os.path.join(side.folder, 'trace.txt')) for side in (base, twin)]
    most = max(setup.per_person, 1)
    far = notebook.check(*traces, pair.times * most)
    notebook.check_cost(traces[0], EPSILON, float(variant.delta), most)
    compare(base, twin, kind)
    return {released: most_of / (pair.times * most) for released, most_of in far.items()}


def setup_of(pair):
    setup = features.Setup()
    for name in dict.fromkeys(f.name for f in pair):
        next(f for f in pair if f.name == name).switch(setup)
    return setup


# Of blocks, a leaf counts in a score with what it has beyond chance (docs/explanation/hedge.md, Blocks): so many records have more.
MANY = 1200

# A target that is gone takes its count along, which is all that is charged for a count, but for rounding down. One that is changed in its place leaves
# the counts, and may move the rest by little.
NEARLY = {'removed': .49, 'changed': .01}


def run_tested(tool, folder, pair):
    setup, count = setup_of(pair), 0
    for variant in variants(pair, setup):
        for kind in ('changed',) if variant.method in features.COINS_IN_ORDER else ('removed', 'changed'):
            count += 1
            try:
                far = run_variant(tool, os.path.join(folder, str(count)), setup, variant, kind)
                assert max(far.values()) > NEARLY[kind], 'the target moved nothing by more than %.3f of what it may: this tests nothing' % max(far.values())
                assert far[notebook.CHOICE] > 0 or not setup.more_records or setup.evaluation, 'the target moved no choice: this tests nothing'
            except AssertionError as problem:
                raise AssertionError('%s, target %s: %s' % (variant, kind, problem)) from problem
    return count


def run_refused(tool, folder, pair, answer):
    setup = setup_of(pair)
    side = Side(tool, folder, setup, Variant('hedge', '1e-6', 'classes'))
    rows = tables.Neighbours('classes', setup.unit, 'removed', False).base
    refused = not (side.prepare(rows) and side.measured({'HR_RECORDS': str(setup.more_records), 'HR_TRACE': 'trace.txt'}, []))
    assert refused, 'it is not refused'
    words, code, out, err = side.outcomes[-1]
    assert (code, out) == (answer.code, ''), 'exit code %d for %d, and it says: %s' % (code, answer.code, out + err)
    said = err.splitlines()[0] if err else ''
    assert said.startswith('hedgerow ') and len(err.splitlines()) <= 2, 'not one message: %s' % err
    for feature in pair:
        assert re.search(feature.named, said), 'it does not name %s: %s' % (feature.name, said)
    assert '; ' in said, 'it names no remedy: %s' % said
    side.run(['ledger', 'show', 'ledger.db'])
    assert re.search(r'^epsilon  0 of 100 spent', side.outcomes[-1][2]), 'something was spent: %s' % side.outcomes[-1][2]
    assert not os.path.exists(os.path.join(folder, 'trace.txt')), 'something was released'
    return 1
