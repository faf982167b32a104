"""The page about a model: whole, safe with any name, without a link to anything outside, and true of every kind of model."""
import datetime
import html
import html.parser
import io
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Model, Schema, _figures
from hedgerow._effects import Effects
from hedgerow._report import render

DAY = datetime.date(2031, 2, 3)
HOSTILE = '<script>alert(1)</script>"&\'$x_1$'


class Page(html.parser.HTMLParser):
    """What a page is made of."""
    VOID = {'meta', 'br', 'hr', 'img', 'input', 'link', 'wbr'}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.headings, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch('h[1-6]', tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def named(tag, page):
    return [attrs for name, attrs in page.tags if name == tag]


def check(text):
    """What holds of every page. Returns its text, in one line."""
    page = Page(text)
    assert page.headings[0] == 1 and page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:]))
    for attrs in named('svg', page):
        assert attrs['role'] == 'img' and attrs['aria-label'].strip()
    for name in ('script', 'link', 'iframe', 'object', 'img', 'form', 'base'):
        assert named(name, page) == []
    for _, attrs in page.tags:
        assert not any(name.startswith('on') for name in attrs)
        for name in ('src', 'href', 'xlink:href', 'action'):
            assert attrs.get(name, '#').startswith(('#', 'data:image/png;base64,'))
    assert re.findall(r'url\((?!#)|@import', text) == []
    ids = [attrs['id'] for _, attrs in page.tags if 'id' in attrs]
    assert {attrs['aria-labelledby'] for attrs in named('section', page)} <= set(ids)
    targets = [attrs['href'][1:] for attrs in named('a', page)]
    assert set(targets) <= set(ids) and all(ids.count(target) == 1 for target in targets)
    sections = {attrs['aria-labelledby'] for attrs in named('section', page)}
    assert {name for name in sections if not name.startswith('card')} <= set(targets)  # contents lead to every section
    assert '#010101' not in text and '#0404' not in text and 'nan' not in page.texts
    return ' '.join(' '.join(page.texts).split())


def records(rows, seed=1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({'age': rng.uniform(18, 105, rows), 'dose': rng.uniform(0, 10, rows), 'ward': rng.choice(['a', 'b', 'c'], rows)})
    return X, X.age / 50 + X.dose / 10 + (X.ward == 'b')


FACTS = dict(bounds={'age': (18, 105), 'dose': (0, 10)}, categories={'ward': ['a', 'b', 'c']})


def classifier(classes=('no', 'yes'), **options):
    X, signal = records(3000)
    y = np.array(classes)[np.minimum((signal / signal.max() * len(classes)).astype(int), len(classes) - 1)]
    return HedgerowClassifier(classes=list(classes), **FACTS, **options).fit(X, y)


@pytest.fixture(scope='module')
def hedge():
    return classifier()


@pytest.fixture(scope='module')
def page(hedge):
    return render(hedge, day=DAY)


def test_hedge__shows_promise_budget_and_effects(hedge, page):
    text = check(page)
    assert 'Epsilon 1, delta 1e-06' in text and 'right with a probability of at most 73.1' in text
    assert 'calibration count' in text and 'intercept' in text
    assert '%d trees' % hedge.model_.tree_count in text
    assert 'age as a table' in text and 'dose as a table' in text


@pytest.mark.parametrize('epsilon', [.1, 1, 8])
def test_guess__is_the_one_of_the_promise(epsilon):
    promise = classifier(epsilon=epsilon).model_
    told = float(re.search(r'right with a probability of at most ([\d.]+) %', promise.guarantee.promise)[1])
    shown, = set(re.findall(r'right with a probability of at most ([\d.]+) %\.', check(render(promise))))
    assert told <= float(shown) < told + .1001


def table_of(page, name):
    """The rows of the table of a feature: what each cell says."""
    part = page[page.index('<summary>%s as a table' % name):]
    return re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', part[:part.index('</table>')], flags=re.S)


def test_effects__of_one_feature_are_its_shape_less_the_average():
    X, signal = records(3000)  # of one feature: every tree is in its shape
    fitted = HedgerowClassifier(bounds={'age': (18, 105)}, classes=['no', 'yes']).fit(X[['age']], np.where(signal > signal.median(), 'yes', 'no'))
    shape, = fitted.model_.shapes().shapes
    effects = Effects(json.loads(fitted.model_.to_json()), fitted.model_.schema.features)
    found = effects.of(0).values
    assert np.allclose(found[1:], shape.values[1:] + fitted.model_.shapes().base - effects.mean - fitted.model_.shapes().base)
    rows = table_of(render(fitted), 'age')
    assert len(rows) == len(found) and rows[-1][0] == 'missing'
    for row, value in zip(rows, found[1:, 0]):
        assert ('%.1f' % abs(50 * value)) in row[1]


METHODS = ['hedge', 'dpboost', 'diprime', 'dp-df', 'gbdt', 'rf']


@pytest.mark.parametrize('classes', [('no', 'yes'), ('low', 'middle', 'high')])
@pytest.mark.parametrize('method', METHODS)
def test_effects__average_over_what_shap_values_compare_with(method, classes):
    model = classifier(classes=classes, method=method, options={'trees': 6} if method in ('gbdt', 'rf') else None).model_
    effects = Effects(json.loads(model.to_json()), model.schema.features)
    X, _ = records(5)
    base = np.array(json.loads(model.to_json())['base'])
    assert np.allclose(base + effects.mean, model.shap(X).expected, atol=1e-9)


def test_effects__of_two_features_are_the_model_where_there_are_two():
    X, signal = records(3000)
    model = HedgerowRegressor(epsilon=8, bounds={'age': (18, 105), 'dose': (0, 10)}, label_bounds=(-50, 50)).fit(X[['age', 'dose']], signal).model_
    effects = Effects(json.loads(model.to_json()), model.schema.features)
    joint = effects.of(0, 1)
    cells = [1 + np.searchsorted(effects.cells[k].edges, X[name], side='left') for k, name in enumerate(['age', 'dose'])]
    scores = np.array(json.loads(model.to_json())['base'])[0] + effects.mean[0] + joint.values[cells[0], cells[1], 0]
    assert np.allclose(50 * scores, model.predict(X[['age', 'dose']])[:, 0], atol=1e-9)
    alone = [effects.of(k).values[cells[k], 0] for k in (0, 1)]
    assert np.allclose(joint.own[cells[0], cells[1], 0], joint.values[cells[0], cells[1], 0] - alone[0] - alone[1])


def test_effects__within_their_noise_are_folded():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({'signal': rng.uniform(size=4000), **{'blank%d' % k: rng.uniform(size=4000) for k in range(4)}})
    model = HedgerowClassifier(bounds=(0, 1), classes=[False, True]).fit(X, X.signal > .5).model_
    page = render(model)
    check(page)
    noise = re.search(r'<summary>(\d) features? whose effect is within its noise</summary>(.*?)</details>', page, flags=re.S)
    named_there = re.findall(r'<th scope="row">(.*?)</th>', noise[2])
    assert len(named_there) == int(noise[1]) and 'signal' not in named_there and len(named_there) >= 2
    assert '<summary>signal as a table' in page and not any('<summary>%s as a table' % name in page for name in named_there)


def test_importance__is_one_number_a_feature(hedge, page):
    text = check(page)
    for column, share in zip(hedge.model_.schema.features, 100 * hedge.model_.weighted_importance):
        told = '%.0f %%' % share if share >= 9.95 else '%.1f %%' % share
        shown = set(re.findall(r'%s \u00b7 ([\d.]+ %%) importance|%s ([\d.]+ %%)' % (column.name, column.name), text))
        assert shown and {number for pair in shown for number in pair if number} == {told}


def test_page__says_when_by_which_version_and_of_how_many_records(hedge):
    text = check(render(hedge, day=datetime.date(2031, 2, 3)))
    released = int(float(json.loads(hedge.model_.to_json())['settings']['records']) + .5)
    assert '3 February 2031' in text and 'Hedgerow %s' % hedgerow.__version__ in text
    assert 'about %d records, a count that was released with noise' % released in text
    today = datetime.date.today()
    assert '%d %s' % (today.day, today.strftime('%B %Y')) in check(render(hedge))


def test_page__has_nothing_that_the_model_file_does_not_have(hedge):
    """The model is all that the page is made of: not the estimator, which has seen the records, and not their exact number."""
    alone = render(Model.parse(hedge.model_.to_json()), day=datetime.date(2031, 2, 3))
    assert render(hedge, day=datetime.date(2031, 2, 3)) == alone
    fitted = classifier(random_state=2)  # whose released count is another number
    assert '3000' not in check(render(fitted, day=datetime.date(2031, 2, 3))).replace('\u202f', '')


# ---- Figures that were released ----

FIGURES = {'exact': False, 'epsilon': .1, 'delta': 0., 'statement': 'figures are (0.1, 0)-private', 'figures': {
    'records': {'value': 812., 'noise': 3., 'low': 806., 'high': 818.}, 'error': {'value': .145, 'noise': .01, 'low': .13, 'high': .16},
    'auc': {'value': .912, 'noise': .004, 'low': .9, 'high': .92}, 'logloss': {'value': None, 'noise': None, 'low': None, 'high': None}}}


def test_figures__that_were_released_are_shown_with_what_they_cost(hedge, tmp_path):
    (tmp_path / 'figures.json').write_text(json.dumps(FIGURES))
    for given in (FIGURES, tmp_path / 'figures.json'):
        text = check(render(hedge, evaluation=given))
        assert 'AUC 0.912' in text and '0.900 to 0.920' in text and '14.5 %' in text and 'They cost epsilon 0.1' in text
        assert 'figures are (0.1, 0)-private' in text and 'Log loss' not in text


@pytest.mark.parametrize('given, told', [({'exact': True, 'auc': .9}, 'exact'), ({'auc': .9}, 'released'), ({**FIGURES, 'exact': True}, 'exact')])
def test_figures__that_no_guarantee_covers_are_refused(hedge, tmp_path, given, told):
    with pytest.raises(hedgerow.ArgumentError, match=told):
        hedgerow.report(hedge, tmp_path / 'report.html', evaluation=given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('text', ['{"exact": true', '[1]'])
def test_figures__that_are_no_object_are_refused_by_the_name_of_their_file(hedge, tmp_path, text):
    (tmp_path / 'figures.json').write_text(text)
    with pytest.raises(hedgerow.ArgumentError, match='figures.json: not '):
        render(hedge, evaluation=tmp_path / 'figures.json')


# ---- Pictures ----

def boxes_of(figure):
    """Where the texts of a figure stand: marks of one axis by axis, then the rest."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    whole = figure.bbox
    found = []
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts = [tick.label1 if tick.label1.get_visible() else tick.label2 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
            found += [text.get_window_extent(renderer) for text in [*texts, axis.label] if text.get_text()]
    found += [text.get_window_extent(renderer) for legend in figure.legends for text in legend.get_texts()]
    if figure._suptitle is not None:
        found.append(figure._suptitle.get_window_extent(renderer))
    return found, whole


def overlaps(figure):
    found, whole = boxes_of(figure)
    pairs = [(a, b) for k, a in enumerate(found) for b in found[:k] if a.overlaps(b)]
    return pairs, [box for box in found if not (whole.x0 - 1 <= box.x0 and box.x1 <= whole.x1 + 1 and whole.y0 - 1 <= box.y0 and box.y1 <= whole.y1 + 1)]


def crowded(task):
    """Long names, many values, few values, large and tiny numbers, whole numbers, skewed numbers."""
    rng = np.random.default_rng(6)
    rows = 6000
    X = pd.DataFrame({'a name of a column that is much longer than there is room for': rng.choice(['Married-civ-spouse and others', 'Never-married', 'x'], rows),
                      'country': rng.choice(['country number %d of the world' % k for k in range(40)], rows), 'flag': rng.integers(0, 2, rows),
                      'income': np.exp(rng.normal(9, 2.5, rows)).clip(0, 1e9), 'tiny': rng.uniform(0, 1e-6, rows), 'year': rng.integers(1900, 2024, rows)})
    first, country = X.iloc[:, 0].astype(str), X.country.str.extract(r'(\d+)')[0].astype(int)
    signal = (first == 'x') + country / 40 + X.flag + (X.income > 9000) + X.tiny * 1e6 + (X.year > 1980) + (X.flag == 1) * (X.year > 1990)
    numbers = {'flag': (0, 1), 'income': (0, 1e9), 'tiny': (0, 1e-6), 'year': (1900, 2024)}
    features = [Column(name, values=tuple(sorted(X[name].unique()))) if name not in numbers else Column(name, *numbers[name], integer=name in ('flag', 'year')) for name in X]
    if task == 'number':
        label = Column('a label with a long name, in EUR', -1e7, 1e7)
        return HedgerowRegressor(schema=Schema.build(label, features), epsilon=8).fit(X, 1e6 * signal)
    classes = ('no', 'yes, with words of many letters') if task == 'two classes' else tuple('class number %d of five' % k for k in range(5))
    y = np.array(classes)[np.minimum((signal / signal.max() * len(classes)).astype(int), len(classes) - 1)]
    return HedgerowClassifier(schema=Schema.build(Column('label', values=classes), features), epsilon=8).fit(X, y)


@pytest.fixture(scope='module')
def crowded_pages():
    """Of each task the page, and its figures. Text scales with a figure, so that what is apart at one width is apart at all."""
    pages = {}
    for task in ('number', 'two classes', 'five classes'):
        with pytest.MonkeyPatch.context() as patch:
            figures, make = [], _figures._svg
            patch.setattr(_figures, '_svg', lambda figure, name: (figures.append(figure), make(figure, name))[1])
            pages[task] = render(crowded(task)), figures
    return pages


@pytest.mark.parametrize('task', ['number', 'two classes', 'five classes'])
def test_labels__do_not_overlap_and_are_within_their_figure(crowded_pages, task):
    text, figures = crowded_pages[task]
    check(text)
    assert len(figures) >= 4
    for figure in figures:
        pairs, outside = overlaps(figure)
        assert pairs == [] and outside == [], figure._suptitle.get_text()


def test_axes__span_what_was_released_and_not_the_public_bounds():
    column = Column('x', 0, 1000)
    assert list(_figures.Axis.of(column, np.array([45., 50., 55.]), 5).ends) == pytest.approx([44.2, 45, 50, 55, 55.8])
    assert list(_figures.Axis.of(column, np.array([0., 990., 1000.]), 5).ends) == [0, 0, 990, 1000, 1000]  # within the bounds
    assert list(_figures.Axis.of(Column('flag', 0, 1, integer=True), np.array([.5]), 3).ends) == [-.5, .5, 1.5]  # 0 and 1 in the middle
    assert list(_figures.Axis.of(column, np.array([]), 2).ends) == [0, 1000]
    skewed = _figures.Axis.of(column, np.array([1., 2, 3, 4, 5, 6, 7, 900]), 10)
    assert skewed.is_even and list(skewed.ends) == list(range(10))


def test_axes__of_many_categories_name_the_last_group():
    axis = _figures.Axis.of(Column('c', values=tuple('v%d' % k for k in range(300))), np.array([]), 256)
    assert len(axis.values) == 255 and axis.values[-1] == 'and 46 others' and axis.values[253] == 'v253'


def test_axes__name_the_class(page):
    assert 'Change of the probability that label is yes' in ' '.join(re.findall(r'>([^<>]*)</text>', page)).replace('  ', ' ')


def test_shares_of_the_budget__are_those_of_the_command(hedge, page):
    releases = re.search(r'^Releases.*?\n\n', hedge.model_.summary(), flags=re.M | re.S)[0]
    told = dict(re.findall(r'^  ([a-z ]+?) +([\d.]+) %', releases, flags=re.M))
    assert len(told) == 8
    text = check(page)
    for what, share in told.items():
        told_here = '%.0f' % float(share) if float(share) >= 9.95 else share
        assert re.search(r'%s ([a-z ]+ )?(%s|under 0.1) %%' % (what, re.escape(told_here)), text), what


@pytest.mark.parametrize('method', ['dpboost', 'inprivate', 'diprime', 'dp-ert', 'dp-df'])
def test_other_methods__have_a_page_that_says_what_is_missing(method):
    text = check(render(classifier(method=method)))
    assert 'Calibration' not in text
    if method in ('dp-df', 'diprime', 'dp-ert', 'inprivate'):
        assert 'two standard deviations' not in text


def test_several_classes__have_a_line_each():
    text = check(render(classifier(classes=('low', 'middle', 'high'))))
    assert 'one of several classes' in text and 'low, middle, high' in text


def test_numbers__are_in_units_of_the_label():
    X, signal = records(3000)
    text = check(render(HedgerowRegressor(label_bounds=(0, 500), **FACTS).fit(X, 100 * signal)))
    assert 'It predicts a number, label, from 0 to 500' in text and 'Change of the predicted label' in text


def test_no_privacy__is_said_first():
    text = check(render(classifier(method='gbdt')))
    assert 'Nothing is proved about the privacy of this model' in text
    assert 'A guess whether' not in text


def test_persons__are_what_is_protected():
    csv, schema = hedgerow.generate_hospital(3000, visits=5)
    table = pd.read_csv(io.StringIO(csv))
    text = check(render(HedgerowClassifier(schema=schema).fit(table, table.readmitted)))
    assert 'adding or removing one person' in text


@pytest.mark.parametrize('method', ['hedge', 'inprivate'])
def test_owners__are_counted(method):
    X, signal = records(2000)
    y = np.where(signal > signal.median(), 'yes', 'no')
    schema = Schema.build(Column('y', values=('no', 'yes')), [Column('age', 18, 105), Column('dose', 0, 10), Column('ward', values=('a', 'b', 'c'))])
    joint = hedgerow.simulate([(X[:900], y[:900]), (X[900:], y[900:])], schema=schema, method=method)
    text = check(render(joint))
    assert '2 owners trained the model together' in text
    assert ('under masks' in text) == (method == 'hedge')


def test_names__are_texts_and_nothing_else():
    names = ['<b>', HOSTILE, '$\\frac{1}{0}$']
    schema = Schema.build(Column(HOSTILE + 'y', values=('<i>no', '</table>')),
                          [Column(names[0], 0, 1), Column(names[1], values=('<img src=x onerror=alert(1)>', '&lt;')), Column(names[2], 0, 1)])
    rng = np.random.default_rng(3)
    X = pd.DataFrame({names[0]: rng.uniform(size=4000), names[1]: rng.choice(list(schema.features[1].values), 4000), names[2]: rng.uniform(size=4000)})
    y = np.where((X[names[0]] > .5) ^ (X[names[1]] == '&lt;'), '</table>', '<i>no')
    text = check(render(HedgerowClassifier(schema=schema, epsilon=4).fit(X, y)))
    assert HOSTILE in text and '<img src=x onerror=alert(1)>' in text


def test_file__appears_whole_or_not_at_all(hedge, tmp_path):
    file = tmp_path / 'report.html'
    hedgerow.report(hedge, file)
    assert check(file.read_text('utf-8')) and [p.name for p in tmp_path.iterdir()] == ['report.html']
    with pytest.raises(OSError):
        hedgerow.report(hedge, tmp_path / 'nowhere' / 'report.html')
    (tmp_path / 'taken').mkdir()
    with pytest.raises(OSError):
        hedgerow.report(hedge, tmp_path / 'taken')
    assert sorted(p.name for p in tmp_path.iterdir()) == ['report.html', 'taken']
    assert file.stat().st_size < 2 ** 20


def test_first_tree__is_a_list_of_what_holds(hedge, page):
    text = check(page)
    tree = json.loads(hedge.model_.to_json())['trees'][0]
    listed = page[page.index('<ul class="tree">'):]
    assert listed[:listed.index('</ul>')].count('class="adds"') == sum(len(node) == 1 for node in tree['nodes'])
    assert 'The first tree' in text
    check(render(classifier(method='dp-df')))  # its splits have many ways


def test_same_model_and_day__same_page(hedge, page):
    assert page == render(Model.parse(hedge.model_.to_json()), day=DAY)


@pytest.mark.parametrize('module', ['jinja2', 'matplotlib'])
def test_missing_library__is_named_with_the_remedy(hedge, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(hedgerow.ArgumentError, match=r'pip install .hedgerow\[report\]'):
        render(hedge)


def run(*arguments, **options):
    return subprocess.run([sys.executable, '-m', 'hedgerow', *arguments], capture_output=True, text=True, **options)


def test_command__writes_the_page_beside_the_model(hedge, tmp_path):
    hedge.model_.write(tmp_path / 'm.json')
    assert run('report', 'm.json', cwd=tmp_path).stdout == 'm.html\n'
    page = check((tmp_path / 'm.html').read_text('utf-8'))
    assert run('m.json', cwd=tmp_path).stdout == hedge.model_.summary()
    (tmp_path / 'figures.json').write_text(json.dumps(FIGURES))
    assert run('report', 'm.json', '--evaluation', 'figures.json', '-o', 'other.html', cwd=tmp_path).returncode == 0
    assert 'AUC 0.912' in check((tmp_path / 'other.html').read_text('utf-8')) and 'AUC' not in page
    absent = run('report', 'absent.json', cwd=tmp_path)
    assert absent.returncode == 1 and 'absent.json' in absent.stderr
    assert run(cwd=tmp_path).returncode == 2


# A script in a page around the page, which is in a frame, reads how wide it is and which texts of its pictures overlap.
AROUND = """<!doctype html><title>wait</title><iframe width="%d" height="700" srcdoc="%s"></iframe><script>
onload = () => {
  const page = document.querySelector("iframe").contentDocument;
  let pairs = 0;
  for (const figure of page.querySelectorAll("svg")) {
    const boxes = [...figure.querySelectorAll("text")].map(text => text.getBoundingClientRect());
    boxes.forEach((a, k) => boxes.slice(0, k).forEach(b => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) pairs++;
    }));
  }
  document.title = "width " + page.documentElement.scrollWidth + " of " + page.documentElement.clientWidth + ", overlaps " + pairs;
}</script>"""


@pytest.mark.skipif(not shutil.which('chromium'), reason='chromium is not installed')
@pytest.mark.parametrize('width, scheme', [(375, '0'), (1200, '1')])
@pytest.mark.parametrize('task', ['number', 'two classes', 'five classes'])
def test_browser__has_no_error_no_overlaps_and_no_page_is_wider_than_its_screen(crowded_pages, tmp_path, width, scheme, task):
    shown, _ = crowded_pages[task]
    (tmp_path / 'around.html').write_text(AROUND % (width, html.escape(shown.replace('<details>', '<details open>'))))
    seen = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', '--v=0', '--virtual-time-budget=5000',
                           '--blink-settings=preferredColorScheme=' + scheme, '--dump-dom', 'file://%s/around.html' % tmp_path],
                          capture_output=True, text=True, timeout=120)
    found, frame, pairs = map(int, re.search(r'<title>width (\d+) of (\d+), overlaps (\d+)', seen.stdout).groups())
    assert found <= frame and pairs == 0
    assert 'CONSOLE' not in seen.stderr


def test_page__is_not_larger_for_many_shapes():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.uniform(size=(3000, 30)), columns=['f%d' % k for k in range(30)])
    text = render(HedgerowClassifier(bounds=(0, 1), classes=[False, True], epsilon=8).fit(X, X.f0 + X.f1 > 1))
    check(text)
    assert len(text) < 2 ** 20
