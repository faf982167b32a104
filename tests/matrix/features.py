"""What a fit, or what is around it, can do with records: one row each. Every two rows have a cell of the matrix, and every cell an answer (ANSWERS):
TESTED, or Refused; some threes have, too. Everything that the product offers belongs to a row, or to PLAIN, or a test is red (offers.py)."""
import dataclasses
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclasses.dataclass
class Setup:
    """One way to train, or to evaluate. Features switch parts of it on."""
    unit: bool = False      # the schema names a unit
    per_person: int = 0     # records of each person that are trained on; 0: all
    words: list = dataclasses.field(default_factory=list)  # of `train`
    keys: list = dataclasses.field(default_factory=list)   # of a job, which has no such words
    more_records: int = 0   # by which the first count of records is larger than the table
    start: bool = False
    bounds: bool = False
    cache: bool = False
    evaluation: bool = False
    ranks: bool = False
    owners: bool = False


def blocks(setup):
    setup.more_records = 150000


def persons(setup):
    setup.unit = True


def samples(setup):
    setup.unit, setup.per_person = True, 2
    setup.words += ['--records-per-person', '2']
    setup.keys.append('records-per-person: 2')


def class_weights(setup):
    setup.words += ['--class-weight', 'yes=3']
    setup.keys.append('class-weight: {yes: 3}')


def start(setup):
    setup.start = True
    setup.words += ['--start', 'start.json']
    setup.keys.append('start: start.json')


def private_bounds(setup):
    setup.bounds = True
    setup.words += ['--private-bounds', 'age']


def cache(setup):
    setup.cache = True


def evaluation(setup):
    setup.evaluation = True


def ranks(setup):
    setup.ranks = True


def owners(setup):
    setup.owners = True


@dataclasses.dataclass
class Feature:
    name: str
    switch: object          # switches it on in a Setup
    how: str                # the same for people
    changes: str            # what it changes of what a record, or a person, can do
    named: str              # what a refusal calls it: a regular expression
    offers: tuple           # options, keys and fields of the product that belong to it: (place, name)
    capability: str = ''    # the field of hr_method that a method needs for it
    methods: tuple = ()     # the only ones that have it; (): those with the capability


FEATURES = [
    Feature('blocks', blocks, 'more than 131,072 records', 'each record, or person, takes part in the choices of one block', 'block', (), methods=('hedge',)),
    Feature('persons', persons, 'the schema names a unit', 'a person counts 1, however many records it has', r"unit|person",
            (('schema', 'unit'), ('method', 'persons')), capability='persons'),
    Feature('samples', samples, '`--records-per-person`', 'a person changes at most m records', r'records-per-person|unit|person',
            (('train', 'records-per-person'), ('field', 'records_per_person'))),
    Feature('class weights', class_weights, '`--class-weight`', 'a record counts at most 1, by its class', r'class',
            (('train', 'class-weight'), ('field', 'class_weights'), ('field', 'class_weight_count')), capability='persons'),
    Feature('start', start, '`--start`', 'scores begin at what a released model says', r'start|continues a model',
            (('train', 'start'), ('train', 'start-is-public'), ('field', 'start'), ('field', 'start_is_public'), ('method', 'link')), capability='link'),
    Feature('private bounds', private_bounds, '`--private-bounds`, jobs of method `bounds`', 'a record is in histograms of magnitudes', r'private-bounds|bounds',
            (('train', 'private-bounds'), ('train', 'bounds-share'), ('field', 'private_bounds'), ('field', 'private_bounds_count'), ('field', 'bounds_share'),
             ('job', 'columns'))),
    Feature('evaluation', evaluation, '`evaluate --epsilon`, jobs of method `evaluation`', 'a record is in figures of a model', r'evaluat|figures',
            (('evaluate', 'epsilon'), ('evaluate', 'delta'), ('evaluate', 'ledger'), ('evaluate', 'unit'), ('evaluate', 'plan'), ('evaluate', 'rows'), ('job', 'model'),
             ('simulate', 'figures'))),
    Feature('cache', cache, 'a file of `hedgerow bin`', 'records are bins of public edges, mapped', r'binned cache',
            (('bin', 'data'), ('bin', 'schema'), ('bin', 'output'), ('bin', 'bins'), ('bin', 'force'), ('method', 'cells')), capability='cells'),
    Feature('ranks', ranks, '`mpirun`', 'sums are added up over processes', r'mpirun|rank|one process',
            (('field', 'cluster'), ('method', 'over_ranks'), ('train', 'link'), ('train', 'rank'), ('train', 'ranks'), ('train', 'link-key')), capability='over_ranks'),
    Feature('owners', owners, '`simulate`, and jobs of a federation', 'each owner adds a share of the noise to its masked sums', r'job|owner|simulate',
            (('method', 'alone'), ('simulate', 'JOB'), ('simulate', 'data'), ('simulate', 'owners'), ('simulate', 'owner'), ('job', 'coalition'),
             ('job', 'rounds'), ('job', 'order'), ('job', 'round-gain'), ('job', 'vote-last'), ('job', 'vote-share'), ('job', 'vote-trees'), ('job', 'coordinator-owner'), ('job', 'train'), ('job', 'owners'),
             ('job', 'federation'), ('job', 'key'), ('job', 'journal'), ('job', 'name'), ('job', 'deadline'), ('job', 'wait-for'), ('job', 'certificate'),
             ('job', 'certificate-key'), ('job', 'date')), methods=('hedge',)),
]

TESTED = 'tested'


@dataclasses.dataclass
class Refused:
    """The command that would do both ends with this exit code, and a message that names both and a remedy."""
    code: int
    why: str


BY_RECORD = 'what it releases is for single records'
NOBODY = 'a cache has no identifiers'
SCORES = 'the start would have to score what has no values'
ANSWERS = {
    ('blocks', 'blocks'): TESTED, ('blocks', 'persons'): TESTED, ('blocks', 'samples'): TESTED, ('blocks', 'class weights'): TESTED,
    ('blocks', 'start'): TESTED, ('blocks', 'private bounds'): TESTED, ('blocks', 'evaluation'): TESTED, ('blocks', 'cache'): TESTED,
    ('blocks', 'ranks'): TESTED, ('blocks', 'owners'): TESTED,
    ('persons', 'persons'): TESTED, ('persons', 'samples'): TESTED, ('persons', 'class weights'): TESTED,
    ('persons', 'start'): Refused(3, BY_RECORD), ('persons', 'private bounds'): Refused(3, BY_RECORD),
    ('persons', 'evaluation'): Refused(3, BY_RECORD), ('persons', 'cache'): Refused(3, NOBODY),
    ('persons', 'ranks'): TESTED, ('persons', 'owners'): TESTED,
    ('samples', 'samples'): TESTED, ('samples', 'class weights'): TESTED, ('samples', 'start'): Refused(3, BY_RECORD),
    ('samples', 'private bounds'): Refused(3, BY_RECORD), ('samples', 'evaluation'): Refused(3, BY_RECORD),
    ('samples', 'cache'): Refused(3, NOBODY), ('samples', 'ranks'): TESTED, ('samples', 'owners'): Refused(1, 'jobs have no such key'),
    ('class weights', 'class weights'): TESTED, ('class weights', 'start'): Refused(2, 'the start did not weigh them so'),
    ('class weights', 'private bounds'): TESTED, ('class weights', 'evaluation'): TESTED, ('class weights', 'cache'): TESTED,
    ('class weights', 'ranks'): TESTED, ('class weights', 'owners'): Refused(1, 'jobs have no such key'),
    ('start', 'start'): TESTED, ('start', 'private bounds'): Refused(2, "the bounds are those of the start"), ('start', 'evaluation'): TESTED,
    ('start', 'cache'): Refused(3, SCORES), ('start', 'ranks'): TESTED, ('start', 'owners'): Refused(1, 'jobs have no such key'),
    ('private bounds', 'private bounds'): TESTED, ('private bounds', 'evaluation'): TESTED, ('private bounds', 'cache'): Refused(3, 'its bins have their bounds'),
    ('private bounds', 'ranks'): TESTED, ('private bounds', 'owners'): TESTED,
    ('evaluation', 'evaluation'): TESTED, ('evaluation', 'cache'): Refused(3, 'a model needs values'),
    ('evaluation', 'ranks'): Refused(2, 'each process would release figures of its own'), ('evaluation', 'owners'): TESTED,
    ('cache', 'cache'): TESTED, ('cache', 'ranks'): Refused(3, 'ranks divide text'), ('cache', 'owners'): Refused(3, 'owners read tables'),
    ('ranks', 'ranks'): TESTED, ('ranks', 'owners'): Refused(2, 'each process would run a job of its own'),
    ('owners', 'owners'): TESTED,
    # Some that no two of them tell.
    ('blocks', 'persons', 'class weights'): TESTED, ('persons', 'private bounds', 'owners'): Refused(3, BY_RECORD),
    ('persons', 'evaluation', 'owners'): Refused(3, BY_RECORD),
}

# What changes no question about records, and why no cell depends on it.
PLAIN = {
    'what is read': (('train', 'data'), ('train', 'schema'), ('train', 'format'), ('train', 'separator'), ('train', 'quote'), ('train', 'skip-lines'), ('train', 'query'),
                     ('train', 'drop'), ('train', 'skip-unlabelled'), ('train', 'allow-equal-files'), ('evaluate', 'allow-equal-files'), ('train', 'strict'),
                     ('bin', 'format'), ('bin', 'separator'), ('bin', 'quote'), ('bin', 'skip-lines'), ('bin', 'query'), ('bin', 'drop'),
                     ('bin', 'skip-unlabelled'), ('bin', 'strict'), ('evaluate', 'data'), ('evaluate', 'model'), ('evaluate', 'format'),
                     ('evaluate', 'separator'), ('evaluate', 'quote'), ('evaluate', 'skip-lines'), ('evaluate', 'query'), ('evaluate', 'drop'),
                     ('evaluate', 'skip-unlabelled'), ('evaluate', 'strict'), ('simulate', 'strict'),
                     ('job', 'hedgerow-job'), ('job', 'schema'), ('schema', 'hedgerow-schema'), ('schema', 'label'), ('schema', 'features'),
                     ('schema', 'missing'), ('schema', 'reviewed'), ('schema', 'decimal'), ('schema', 'thousands')),
    'what is written, and what is printed of public facts': (
        ('field', 'of_program'),
        ('train', 'model'), ('train', 'force'), ('train', 'plan'), ('train', 'rows'), ('train', 'json'), ('train', 'quiet'), ('evaluate', 'json'),
        ('simulate', 'model'), ('simulate', 'schema'), ('simulate', 'force'), ('simulate', 'plan'), ('simulate', 'rows'), ('simulate', 'json'),
        ('simulate', 'quiet'), ('job', 'records')),
    "for the owner's eyes": (('train', 'timings'), ('field', 'timings'), ('field', 'remark'), ('evaluate', 'timings'), ('evaluate', 'threshold'), ('evaluate', 'costs'),
                             ('evaluate', 'confusion'), ('evaluate', 'horizon'), ('evaluate', 'schema')),
    'settings of methods, which each method proves; every cell has those of its methods': (
        ('train', 'method'), ('train', 'mode'), ('train', 'trees'), ('train', 'depth'), ('train', 'learning-rate'), ('train', 'lambda'), ('train', 'bins'),
        ('train', 'option'), ('train', 'epsilon'), ('train', 'delta'), ('job', 'method'), ('job', 'mode'), ('job', 'epsilon'), ('job', 'delta'),
        ('job', 'options'), ('field', 'method'), ('field', 'mode'), ('field', 'epsilon'), ('field', 'delta'), ('field', 'trees'), ('field', 'depth'),
        ('field', 'bins'), ('field', 'learning_rate'), ('field', 'lambda'), ('field', 'loss'), ('field', 'edges'), ('field', 'gradient_bound'),
        ('field', 'bin_share'), ('field', 'leaf_share'), ('field', 'count_share'), ('field', 'by_name'), ('method', 'info'), ('method', 'defaults'),
        ('method', 'sound_options'), ('method', 'paper_options'), ('method', 'bounds'), ('method', 'with_delta'), ('method', 'check'),
        ('method', 'memory'), ('method', 'train'), ('method', 'plan')),
    'the same model': (('train', 'threads'), ('bin', 'threads'), ('evaluate', 'threads'), ('simulate', 'threads'), ('field', 'threads'), ('field', 'size')),
    'charged in every cell': (('train', 'ledger'), ('field', 'ledger'), ('field', 'entry')),
    'makes a fit not private, and it says so': (('train', 'unsafe-reproducible-noise'), ('train', 'seed'), ('field', 'reproducible_noise'), ('field', 'seed'),
                                                ('field', 'leak'), ('schema', 'review'), ('schema', 'accepted'), ('schema', 'source')),
    'weigh records as class weights do, noise for noise: tests/fit/test_record_weights.c; over ranks tests/trees/cluster/models.py': (('field', 'record_weights'), ('field', 'record_weight_count'), ('schema', 'weight'), ('method', 'weighed')),
    'which public trees hedge draws; no cell depends on it: tests/methods/hedge/test_hedge_interactions.c, tests/fit/test_interactions_of_fits.c': (
        ('train', 'interactions'), ('field', 'interactions')),
    'an interval that held-out records correct; over ranks tests/trees/cluster/models.py, over owners tests/federation/hedge/test_federated_interval.c; refused with persons who are drawn, starts, private bounds and binned caches: tests/fit/test_conformal.c': (
        ('train', 'conformal'), ('field', 'conformal')),
    'which category the one line of survival-curve is counted by: tests/methods/survival/test_survival_curve.c': (('train', 'group'), ('field', 'group')),
    'which numbers the lines of statistics are of; each line has what one record adds: tests/methods/statistics/test_overview.c': (
        ('train', 'columns'), ('train', 'by'), ('field', 'columns'), ('field', 'by_label'), ('method', 'predicts_nothing')),
    'which methods learn counts; others refuse such labels: tests/cli/counts.test, tests/cli/counts_together.test': (('method', 'counts'),),
    'which methods learn quantiles; others refuse such labels: tests/cli/quantiles.test, tests/cli/quantiles_together.test': (('method', 'quantiles'),),
    'which methods learn times of events; others refuse such labels: tests/cli/times.test, tests/cli/times_together.test': (('method', 'times'), ('method', 'times_alone')),
    'which methods keep monotone features, after the noise but for scores, which move by no more: tests/trees/candidates/test_monotone_scores.c': (('method', 'monotone'),),
    'is told of public settings': (('field', 'progress'), ('field', 'user')),
}

NOT_OF_TIMES = ('class weights',)  # what refuses a label that is a time (tests/cli/times.test)

# Methods that no cell trains, and why.
NOT_TRAINED = {
    'gbdt': 'not private', 'rf': 'not private', 'ert': 'not private', 'median': 'not private', 'simfl': 'not private', 'tfl': 'not private',
    'solo': 'not private', 'all-in': 'not private',
    'seq': 'as para and dpboost, whose files it shares',
    'statistics': 'no model: tests/methods/statistics/test_overview.c, tests/methods/test_released_alone.c',
    'survival-curve': 'times alone: tests/methods/survival/test_survival_curve.c',
    'id3': 'numbers must be categories: tests/methods/forests/test_audit_id3.c',
}

# Methods that draw a coin for each record in the table's order from the stream of their noise: if a record were gone, all later ones
# would have other coins. Cells change the target in its place.
COINS_IN_ORDER = ('inprivate', 'dp-simfl')


def method_sources():
    """name -> the text of its file."""
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'src', 'methods', '**', '*.c'), recursive=True)):
        with open(path, encoding='utf-8') as f:
            text = f.read()
        for row in re.split(r'^const hr_method hr_method_', text, flags=re.M)[1:]:
            found[re.search(r'\.name = "([a-z0-9-]+)"', row).group(1)] = row
    return found


def methods_of(pair):
    """The methods that a tested cell trains."""
    sources = method_sources()
    needed = {f.capability for f in pair} - {''}
    allowed = [set(f.methods) for f in pair if f.methods]
    names = [name for name, row in sources.items() if name not in NOT_TRAINED and all(re.search(r'^\s+\.%s =' % field, row, re.M) for field in needed)]
    return sorted(name for name in names if all(name in some for some in allowed))
