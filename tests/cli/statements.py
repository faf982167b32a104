#!/usr/bin/env python3
"""Every number that a statement prints, and every name of who is trusted, against what was asked for: computed here from the published
formulas, the options and the lines of the model's list, by code that shares nothing with the program.
usage: statements.py HEDGEROW

Each case of the table is one command. Its statement is read in full, word by word, by the sentence that the case expects; what stands where the
sentence has {name} must be `name` rounded up to six digits, and nothing else."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

UNIT = 2**40
PRIMITIVES = 'as long as X25519, BLAKE2b, ChaCha20 and Ed25519 hold'
SETS = 'Every set of models is at most e^epsilon times as likely with %s as without, plus delta'


# ---- The published formulas ----

def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def bisect(holds, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def gdp_epsilon(mu2, delta):
    mu = math.sqrt(mu2)
    return bisect(lambda e: normal(mu / 2 - e / mu) - math.exp(e) * normal(-mu / 2 - e / mu) <= delta, 0, 300)


def gdp_mu2(epsilon, delta):
    return bisect(lambda m: gdp_epsilon(m, delta) > epsilon, 1e-9, 100)


def zcdp_epsilon(rho, delta):
    """Canonne, Kamath, Steinke 2020, Corollary 13: the smallest of one curve that falls and then rises."""
    def at(log_x):
        x = math.exp(log_x)
        return (1 + x) * rho + (math.log(1 / delta) - log_x - (1 + x) * math.log(1 + 1 / x)) / x
    low, high = -8, 10
    for _ in range(200):
        third = (high - low) / 3
        low, high = (low, high - third) if at(low + third) < at(high - third) else (low + third, high)
    return at(low)


def zcdp_rho(epsilon, delta):
    return bisect(lambda r: zcdp_epsilon(r, delta) > epsilon, 1e-9, 100)


KINDS = {'pure': (lambda e, d: e, lambda u, d: u, 1), 'gdp': (gdp_mu2, gdp_epsilon, 2), 'zcdp': (zcdp_rho, zcdp_epsilon, 2)}


class Cost:
    """What (epsilon, delta) grants in a measure, and what multiples of it cost."""

    def __init__(self, kind, epsilon, delta):
        self.kind, self.epsilon, self.delta = kind, epsilon, delta
        self.units = KINDS[kind][0](epsilon, delta)

    def of(self, units):
        return KINDS[self.kind][1](units, self.delta)

    def times(self, factor):
        return self.of(self.units * factor)

    def replace(self):
        return self.times(2**KINDS[self.kind][2])

    def of_one(self, records):
        return self.times(1 / records**KINDS[self.kind][2])


def odds_beyond(cost):
    """What anything that is mu-GDP, and what Gaussian noise, exceeds e^epsilon with."""
    mu, e = math.sqrt(cost.units), cost.epsilon
    z = bisect(lambda z: math.log(normal(z - mu)) - math.log(normal(z)) > -e, -30, 30)
    return normal(z), normal(mu / 2 - e / mu)


def alone(model):
    """mu^2 of the model's list if of every sum one share of noise is left: groups add up, of parts the costliest counts."""
    parts = {}
    for line in model['releases']:
        lines = line['levels'] * sum(row[0] for row in line['draws']) if 'levels' in line else 1
        cost, scale = Fraction(line['units'], UNIT), Fraction(line['scale'])
        if line.get('shares', 0) > 1:
            cost = line['sensitivity']**2 / (scale - 6)
        at = line.get('owner', 0), line['group'], line['part']
        parts[at] = parts.get(at, 0) + lines * cost
    groups, owners = {}, {}
    for (owner, group, _), cost in parts.items():
        groups[owner, group] = max(groups.get((owner, group), 0), cost)
    for (owner, _), cost in groups.items():
        owners[owner] = owners.get(owner, 0) + cost
    return float(owners.pop(0, 0) + max(owners.values(), default=0))


# ---- Reading a sentence ----

PROBLEMS = []


def six_up(value):
    return Context(prec=6, rounding=ROUND_CEILING).create_decimal(Decimal(repr(value)))


def agrees(shown, value, slack):
    """Rounded up to six digits; the program's margins, and its coarser grid of zCDP, may raise it by `slack` of itself. What that grid grants
    less, a part of the budget costs less."""
    if math.isinf(value):
        return shown == 'inf'
    low, high = six_up(value * (1 - max(1e-8, slack / 1000))), six_up(value * (1 + slack))
    return low <= Decimal(shown) <= high


def compare(case, what, text, sentence, values, slack=3e-9):
    """sentence: with {name} where an amount is; it is all of the text."""
    names = re.findall(r'{(\w+)}', sentence)
    pattern = re.sub(r'\\{\w+\\}', r'([0-9.e+-]+|inf)', re.escape(sentence))
    found = re.fullmatch(pattern, ' '.join(text.split()))
    if not found:
        PROBLEMS.append('%s: %s says\n  %s\nand not\n  %s' % (case, what, ' '.join(text.split()), sentence))
        return
    for name, shown in zip(names, found.groups()):
        if not agrees(shown, values[name], slack):
            PROBLEMS.append('%s: %s says %s = %s, and it is %.9g' % (case, what, name, shown, values[name]))


def check(case, what, holds):
    if not holds:
        PROBLEMS.append('%s: %s' % (case, what))


# ---- Running ----

class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *words):
        return subprocess.run([self.path, *map(str, words)], cwd=self.folder, check=True, text=True, stdout=subprocess.PIPE).stdout

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as out:
            out.write(text)

    def load(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return json.load(file)


def amounts_of(cost):
    values = {'epsilon': cost.epsilon, 'delta': cost.delta, 'replace': cost.replace(), 'factor': math.exp(cost.epsilon),
              'guess': 100 * (math.exp(cost.epsilon) + cost.delta) / (1 + math.exp(cost.epsilon))}
    if cost.kind == 'gdp':
        values['beyond'], values['gaussian'] = odds_beyond(cost)
    return values


def promise_of(cost, unit):
    text = 'every set of models is at most e^epsilon = {factor} times as likely with %s as without%s, and the other way round. A guess whether ' \
           'it was there, at even odds before, is right with a probability of at most {guess} %% (epsilon 0.1: 52.5 %%, 1: 73.2 %%, 8: 99.97 %%)' \
           % (unit, ', plus delta = {delta}' if cost.delta else '')
    more = '. A model changes the odds by more than e^epsilon with a probability of at most {beyond} ({gaussian} if all noise is Gaussian), which ' \
           'is more than delta' if cost.kind == 'gdp' else ''
    return text + more


def slack_of(cost):
    return 2e-3 if cost.kind == 'zcdp' else 1e-8


def check_shown(tool, case, file, cost, unit):
    """What `show` prints of a model, for people and for programs."""
    text, told = tool.run('show', file), json.loads(tool.run('show', file, '--json'))
    values = amounts_of(cost)
    lines = re.search(r'^Privacy (.*\n(?:  .*\n)*?)\n', text, re.M).group(1)
    first = 'epsilon {epsilon}, delta {delta} for adding or removing %s' % unit
    second = 'epsilon {replace}, delta {delta} for replacing one'
    compare(case, 'show', lines.split('\n')[0], first, values, slack_of(cost))
    compare(case, 'show', lines.split('\n')[1], second, values, slack_of(cost))
    compare(case, 'show --json, promise', told['guarantee']['promise'], promise_of(cost, unit), values, slack_of(cost))
    check(case, 'show leaves the promise out', ' '.join(told['guarantee']['promise'].split()) in ' '.join(text.split()))
    check(case, 'show --json has another unit', told['guarantee']['unit'] == unit)
    for key, name in (('epsilon', 'epsilon'), ('delta', 'delta'), ('epsilon_replace', 'replace')):
        check(case, 'show --json: %s is %r and not %.9g' % (key, told['guarantee'][key], values[name]),
              values[name] * (1 - 1e-8) <= told['guarantee'][key] <= values[name] * (1 + slack_of(cost)) + 1e-18)
    return told


# ---- One owner ----

# name: options of train, kind, epsilon, delta, unit, what follows the unit's sentence
TRAINED = {
    'pure': (['--method', 'dpboost', '--epsilon', '.7'], 'pure', .7, 0, 'record', {}),
    'zcdp': (['--method', 'dpboost', '--epsilon', '1.5', '--delta', '1e-5'], 'zcdp', 1.5, 1e-5, 'record', {}),
    'gdp': (['--epsilon', '.5', '--delta', '1e-4'], 'gdp', .5, 1e-4, 'record', {}),
    'large': (['--epsilon', '8'], 'gdp', 8, 1e-6, 'record', {}),
    'bounds': (['--epsilon', '2', '--private-bounds', 'age', '--private-bounds', 'days', '--bounds-share', '.08'], 'gdp', 2, 1e-6, 'record',
               {'bounds': (2, '8')}),
    'weights': (['--epsilon', '3', '--delta', '0', '--class-weight', 'yes=4'], 'pure', 3, 0, 'record', {'weights': True}),
    'persons': (['--epsilon', '2'], 'gdp', 2, 1e-6, 'person', {}),
    'four': (['--epsilon', '2', '--records-per-person', '4'], 'gdp', 2, 1e-6, 'person', {'most': 4}),
    'three': (['--method', 'dpboost', '--epsilon', '2', '--records-per-person', '3'], 'pure', 2, 0, 'person', {'most': 3}),
    'five': (['--method', 'dpboost', '--epsilon', '2', '--delta', '1e-5', '--records-per-person', '5'], 'zcdp', 2, 1e-5, 'person', {'most': 5}),
}


def check_trained(tool, case):
    words, kind, epsilon, delta, unit, more = TRAINED[case]
    cost, persons = Cost(kind, epsilon, delta), unit == 'person'
    data = ['--data', 'visits.csv', '--schema', 'visits.yaml'] if persons else ['--data', 'all.csv', '--schema', 'schema.yaml']
    told = json.loads(tool.run('train', *data, *words, '--model', case + '.json', '--json'))
    values = {**amounts_of(cost), 'delta2': cost.delta}
    sentence = '({epsilon}, {delta})-differentially private for adding or removing one %s ({replace}, {delta2} for replacing one). ' % unit
    if persons:
        sentence += 'A person is all records of one patient_id. '
    else:
        sentence += 'The schema says that each person has one record. '
    if 'most' in more:
        values['one'] = cost.of_one(more['most'])
        sentence += 'At most %d records of each person were drawn by secret coins and trained on. The noise is such that for one of these records ' \
                    'epsilon is {one}, and for all of them the epsilon above. In what follows, epsilon is that of one record. ' % more['most']
    whose = 'all records of one person' if persons and 'most' not in more else 'one record'
    head, found, rest = told['statement'].partition(SETS % whose)
    check(case, 'the statement has no sentence about %s: %s' % (whose, told['statement']), found)
    compare(case, 'the statement', head, sentence.strip() if not head.endswith(' ') else sentence.strip(), values, slack_of(cost))
    if 'bounds' in more:
        check(case, 'the statement tells other bounds', rest.endswith(' The bounds of %d columns were released as well, for %s %% of the budget.' % more['bounds']))
    if 'weights' in more:
        check(case, 'the statement does not tell of weights', rest.endswith(' Records weigh by their classes, by numbers that were given as public.'))
    check_shown(tool, case, case + '.json', cost, 'one ' + unit)


# ---- Plans ----

def check_plan(tool, case):
    words, kind, epsilon, delta, unit, more = TRAINED[case]
    if kind == 'zcdp' or '--method' in words:
        return
    cost, schema = Cost(kind, epsilon, delta), 'visits.yaml' if unit == 'person' else 'schema.yaml'
    text = tool.run('train', '--plan', '--rows', '2500', '--schema', schema, *words)
    told = json.loads(tool.run('train', '--plan', '--rows', '2500', '--schema', schema, *words, '--json'))
    values = amounts_of(cost)
    compare(case, 'the plan', text.split('\n')[0], 'plan hedge, epsilon {epsilon}, delta {delta}; nothing is read, drawn or spent', values)
    promise = re.search(r'^promise (.*\n(?: .*\n)*)', text, re.M).group(1)
    compare(case, 'the plan', promise, promise_of(cost, 'one ' + unit), values, slack_of(cost))
    wanted = {'odds_factor': values['factor'], 'guess': values['guess'] / 100, 'odds_beyond': values.get('beyond', 0),
              'odds_beyond_gaussian': values.get('gaussian', 0), 'records': 2500}
    for key, value in wanted.items():
        check(case, 'the plan: %s is %r and not %.9g' % (key, told[key], value), abs(told[key] - value) <= 1e-7 * value)


def check_job_plan(tool, owners, coalition):
    case = 'plan of %d owners, %d together' % (owners, coalition)
    tool.write('plan.yaml', 'hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: 1\ncoalition: %d\n' % coalition)
    cost, honest = Cost('gdp', 1, 1e-6), max(owners - coalition, 1)
    text, told = tool.run('simulate', 'plan.yaml', '--plan', '--owners', owners), json.loads(tool.run('simulate', 'plan.yaml', '--plan', '--owners', owners, '--json'))
    others = 'one other owner' if coalition == 1 else '%d other owners' % coalition
    found = ' '.join(re.search(r'^owners (.*\n(?: .*\n)*)', text, re.M).group(1).split())
    wanted = '%d; a record is safe against the coordinator together with any %s. Shares of noise: %d, counted on: %d; all together %.3g times the ' \
             'noise of one owner of all records' % (owners, others, owners, honest, math.sqrt(owners / honest))
    check(case, 'owners are\n  %s\nand not\n  %s' % (found, wanted), found == wanted)
    check(case, 'JSON has other owners', (told['owners'], told['coalition'], told['honest']) == (owners, coalition, honest))
    promise = re.search(r'^promise (.*\n(?: .*\n)*)', text, re.M).group(1)
    compare(case, 'the plan', promise, promise_of(cost, 'one record'), amounts_of(cost), 1e-8)
    for row in told['coalitions']:
        t = row['coalition']
        check(case, 'a price is wrong: %r' % row, row['honest'] == owners - t and abs(row['noise_factor'] - math.sqrt(owners / (owners - t))) < 1e-12)


# ---- Several owners ----

# name: method, kind, epsilon, delta, owners, coalition, of one file
JOINT = {
    'four of a file': ('hedge', 'gdp', 1, 1e-6, 4, 1, True),
    'five, two together': ('hedge', 'gdp', .5, 1e-5, 5, 2, False),
    'three, all others': ('hedge', 'gdp', 1, 1e-6, 3, 2, True),
    'three, pure': ('hedge', 'pure', 3, 0, 3, 1, True),
    'counts': ('id3', 'gdp', 2, 1e-6, 4, 1, True),
    'pure counts': ('id3', 'pure', 300, 0, 3, 1, False),
    'alone': ('inprivate', 'pure', 1, 0, 3, 0, False),
    'average': ('average', 'gdp', 1.25, 1e-6, 3, 0, False),
}


def conditions_of(cost, model, owners, coalition):
    """The words, and epsilon against all other owners, without and with the coordinator."""
    honest = owners - coalition
    larger = ''
    if honest == 1:
        against = cost.epsilon, cost.epsilon
    elif cost.kind == 'pure':
        against, larger = (math.inf, math.inf), '; nothing is promised if more owners act together'
    else:
        against = cost.of(max(alone(model), cost.units)), cost.times(2 * honest - 1)
        larger = '; if all other owners act together, epsilon is {owners}, and at most {everyone} if the coordinator is with them'
    who = 'any owner with it' if coalition == 1 else 'any %d owners with it' % coalition
    return 'against everybody, the coordinator, and %s, whatever they do%s; %s' % (who, larger, PRIMITIVES), against


def check_conditions(case, told, against, sentence, coalition):
    values = dict(zip(('owners', 'everyone'), against))
    compare(case, 'conditions', told['conditions'], sentence, values, 1e-7)
    check(case, 'JSON has another coalition', told['coalition'] == coalition)
    for key, value in zip(('epsilon_owners', 'epsilon_everyone'), against):
        shown = math.inf if told[key] is None else told[key]
        check(case, '%s is %r and not %.9g' % (key, told[key], value), shown == value or abs(shown - value) <= 1e-6 * value)


def check_joint(tool, case):
    method, kind, epsilon, delta, owners, coalition, of_file = JOINT[case]
    cost, name, sums = Cost(kind, epsilon, delta), case.replace(' ', '-').replace(',', '') + '.json', method in ('hedge', 'id3')
    job = 'hedgerow-job: 1\nschema: schema.yaml\nmethod: %s\nepsilon: %r\n' % (method, epsilon)
    job += '' if method == 'inprivate' else 'delta: %r\n' % delta
    job += 'coalition: %d\n' % coalition if coalition else ''
    job += 'options: {depth: 1, bins: 3}\n' if method == 'id3' else ''
    tool.write('job.yaml', job)
    tables = ['--data', 'all.csv', '--owners', owners] if of_file else [w for k in range(owners) for w in ('--data', 'o%d.csv' % k)]
    told = json.loads(tool.run('simulate', 'job.yaml', *tables, '--model', name, '--quiet', '--json'))
    model, unit = tool.load(name), 'one record of the file' if of_file else 'one record of any owner'
    values = {**amounts_of(cost)}
    sentence = '({epsilon}, {delta})-differentially private for adding or removing %s ({replace} for replacing one), ' % unit
    if sums:
        words, against = conditions_of(cost, model, owners, coalition)
        values['owners'], values['everyone'] = against
        sentence += words + '.'
        check_conditions(case, told, against, words, coalition)
    else:
        sentence += 'even if all other owners and the coordinator act together. Epsilon is what the job allows each owner to spend' + (
            '; ' if method == 'average' else ', or the largest amount that an owner lists for a round, if that is more; ') + \
            "that no owner spends more depends on the owner's program."
        check(case, 'a model without coalitions has conditions', 'conditions' not in told)
    end = sentence.split('{replace}')[-1][-30:]
    head = told['statement'][:told['statement'].find(end) + len(end)] if end in told['statement'] else told['statement']
    compare(case, 'the statement', head, sentence, values, 1e-7)
    check(case, 'the statement does not say what sets of models are', SETS % 'one record' in told['statement'])
    check_shown(tool, case, name, cost, unit)
    return name, cost, model


# ---- Starts ----

def check_start(tool, case, name, cost, model):
    """A fit that continues it: in the same measure, and in another."""
    _, _, _, _, owners, coalition, _ = JOINT[case]
    for method, kind, epsilon, delta in (('hedge', 'gdp', .75, 1e-6), ('dpboost', 'pure', .25, 0)):
        new, made = Cost(kind, epsilon, delta), 'continued.json'
        told = json.loads(tool.run('train', '--data', 'all.csv', '--schema', 'schema.yaml', '--method', method, '--epsilon', epsilon, '--delta', delta,
                                   '--start', name, '--model', made, '--json', '--force'))
        both, at = told['start_guarantee'], '%s, continued by %s' % (case, method)
        sums = 'shares' in json.dumps(model['releases'])
        words, against = conditions_of(cost, model, owners, coalition) if sums else ('', (cost.epsilon, cost.epsilon))
        if kind == cost.kind and kind == 'pure':
            total, replaced, delta_both = cost.epsilon + new.epsilon, 2 * (cost.epsilon + new.epsilon), 0
            against = tuple(a + new.epsilon for a in against)
        elif kind == cost.kind:
            more = max(alone(model), cost.units) if owners - coalition > 1 else cost.units
            total, replaced, delta_both = gdp_epsilon(cost.units + new.units, delta), gdp_epsilon(4 * (cost.units + new.units), delta), delta
            against = gdp_epsilon(more + new.units, delta), gdp_epsilon(cost.units * (2 * (owners - coalition) - 1) + new.units, delta)
        else:
            total, replaced, delta_both = cost.epsilon + new.epsilon, cost.replace() + new.replace(), cost.delta + new.delta
            against = tuple(a + new.epsilon for a in against)
        values = {'epsilon': total, 'delta': delta_both, 'replace': replaced, 'delta2': delta_both, 'owners': against[0], 'everyone': against[1]}
        sentence = 'A record that is also in the data of that model has ({epsilon}, {delta}) for both together ({replace}, {delta2} for replacing it)'
        sentence += ', under the conditions of that model: ' + words if words else ''
        sentence += '.' if kind == cost.kind else ': the two are of different kinds, so epsilons and deltas add up.'
        compare(at, 'the statement', told['statement'][told['statement'].find('A record that is also'):], sentence, values, 1e-7)
        shown = json.loads(tool.run('show', made, '--json'))['start_guarantee']
        check(at, 'show --json and train --json differ', shown == both)
        check(at, 'epsilon of both is %r and not %.9g' % (both['epsilon'], total), abs(both['epsilon'] - total) <= 1e-7 * total)
        check(at, 'it is below one of the two', both['epsilon'] >= max(cost.epsilon, new.epsilon))
        text = ' '.join(tool.run('show', made).split())
        if words:
            check_conditions(at, both, against, words, coalition)
            check(at, 'show leaves the conditions out', text.count(both['conditions']) >= 2)
        else:
            check(at, 'there are conditions', 'conditions' not in both)
        check_chain(tool, at, both, words, coalition)


def check_chain(tool, case, both, words, coalition):
    """A third model takes the conditions of the first."""
    if not words:
        return
    told = json.loads(tool.run('train', '--data', 'all.csv', '--schema', 'schema.yaml', '--method', 'dpboost', '--epsilon', '.125', '--start',
                               'continued.json', '--model', 'third.json', '--json', '--force'))['start_guarantee']
    pure = both['delta'] == 0
    check(case, 'the third model has another coalition', told.get('coalition') == coalition)
    for key in ('epsilon', 'epsilon_owners', 'epsilon_everyone'):
        wanted = None if both[key] is None else both[key] + .125
        check(case, 'the third model: %s is %r and not %r%s' % (key, told.get(key), wanted, ', pure' if pure else ''),
              told.get(key) == wanted or abs(told[key] - wanted) <= 1e-9)


# ---- Figures and bounds of several owners ----

def check_figures(tool, owners, coalition):
    case, cost = 'figures of %d owners, %d together' % (owners, coalition), Cost('gdp', .5, 1e-5)
    head = 'hedgerow-job: 1\nepsilon: 0.5\ndelta: 1e-05\ncoalition: %d\n' % coalition
    tables = [w for k in range(owners) for w in ('--data', 'o%d.csv' % k)]
    tool.write('figures.yaml', head + 'schema: schema.yaml\nmethod: evaluation\nmodel: pure.json\n')
    told = json.loads(tool.run('simulate', 'figures.yaml', *tables, '--figures', 'f.json', '--force', '--json', '--quiet'))
    values = {**amounts_of(cost), 'delta2': cost.delta}
    compare(case, 'the statement', told['statement'],
            "The figures are ({epsilon}, {delta})-differentially private for adding or removing one record of one of the %d owners' tables ({replace}, {delta2} for "
            'replacing one), also if %d of the owners add no noise and tell what they know, %s. A person with records at two owners pays at both. What the '
            'model says of records that it was trained on is spent by the model.' % (owners, coalition, PRIMITIVES), values, 1e-8)
    tool.write('limits.yaml', head + 'schema: schema.yaml\nmethod: bounds\ncolumns: [age]\n')
    told = json.loads(tool.run('simulate', 'limits.yaml', *tables, '--schema', 's.yaml', '--force', '--json', '--quiet'))
    compare(case, 'the statement of bounds', told['statement'],
            'The bounds are ({epsilon}, {delta})-differentially private for adding or removing one record of one of the %d owners, also if %d of the owners add no '
            'noise and tell what they know, %s. A person with records at two owners pays at both.' % (owners, coalition, PRIMITIVES), values)


def check_evaluation(tool):
    cost, case = Cost('pure', .5, 0), 'figures of one table'
    tool.run('ledger', 'create', 'l.db', '--epsilon', 1)
    told = json.loads(tool.run('evaluate', '--model', 'pure.json', '--data', 'all.csv', '--epsilon', '.5', '--ledger', 'l.db', '--json'))
    compare(case, 'the statement', told['statement'],
            'The figures are ({epsilon}, {delta})-differentially private for adding or removing one record of this table ({replace}, {delta2} for replacing one). '
            'What the model says of records that it was trained on is spent by the model: a record that is in both tables pays for both.',
            {**amounts_of(cost), 'delta2': 0}, 1e-8)


def main(path):
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(os.path.abspath(path), folder)
        tool.run('generate', 'hospital', '--rows', '2500', '--seed', '1', '-o', 'all.csv', '--schema', 'schema.yaml')
        tool.run('generate', 'hospital', '--rows', '2500', '--visits', '6', '--seed', '1', '-o', 'visits.csv', '--schema', 'visits.yaml')
        for k in range(5):
            tool.run('generate', 'hospital', '--rows', '600', '--seed', k + 2, '-o', 'o%d.csv' % k)
        for case in TRAINED:
            check_trained(tool, case)
            check_plan(tool, case)
        for case in JOINT:
            name, cost, model = check_joint(tool, case)
            if JOINT[case][0] == 'hedge':
                check_start(tool, case, name, cost, model)
        for owners, coalition in ((2, 1), (5, 2), (7, 6)):
            check_job_plan(tool, owners, coalition)
        for owners, coalition in ((2, 1), (5, 3)):
            check_figures(tool, owners, coalition)
        check_evaluation(tool)
    for problem in PROBLEMS:
        print(problem)
    print('%d cases' % (len(TRAINED) + len(JOINT) + 6))
    sys.exit(1 if PROBLEMS else 0)


main(sys.argv[1])
