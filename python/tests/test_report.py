"""The page about a model: whole, safe with any name, without a link to anything outside, and true of every kind of model."""
import html
import html.parser
import io
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Model, Schema
from hedgerow._report import render

HOSTILE = '<script>alert(1)</script>"&\'$x_1$'


class Page(html.parser.HTMLParser):
    """What a page is made of."""
    VOID = {'meta', 'br', 'hr', 'img', 'input', 'link'}

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
    ids = [attrs['id'] for _, attrs in page.tags if 'id' in attrs and '-' not in attrs['id'] and '_' not in attrs['id']]
    assert {attrs['aria-labelledby'] for attrs in named('section', page)} <= set(ids)
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
    return render(hedge)


def test_hedge__shows_promise_budget_and_shapes(hedge, page):
    text = check(page)
    assert 'Epsilon 1, delta 1e-06' in text and 'right with a probability of at most 73.1' in text
    assert 'calibration count' in text and 'intercept' in text
    assert '%d trees' % hedge.model_.tree_count in text
    assert all('%s as a table' % shape.axes[0].feature in text for shape in hedge.model_.shapes().shapes if len(shape.axes) == 1)


def test_numbers_of_a_shape__are_the_model_s():
    X, signal = records(3000)  # of one feature: every tree is in its shape
    fitted = HedgerowClassifier(bounds={'age': (18, 105)}, classes=['no', 'yes']).fit(X[['age']], np.where(signal > signal.median(), 'yes', 'no'))
    shape, = fitted.model_.shapes().shapes
    text = check(render(fitted))
    assert 'standard deviations of the noise' in text and 'the shapes are the whole model' in text
    for k in (0, 1, -1):
        assert '%+.4f ± %.4f' % (.5 * shape.values[k, 0], shape.deviations[k, 0]) in text


def test_shares_of_the_budget__are_those_of_the_command(hedge, page):
    releases = re.search(r'^Releases.*?\n\n', hedge.model_.summary(), flags=re.M | re.S)[0]
    told = dict(re.findall(r'^  ([a-z ]+?) +([\d.]+) %', releases, flags=re.M))
    assert len(told) == 8
    text = check(page)
    for what, share in told.items():
        assert re.search(r'%s %s ' % (what, re.escape(share)), text), what


@pytest.mark.parametrize('method', ['dpboost', 'inprivate', 'diprime', 'dp-ert', 'dp-df'])
def test_other_methods__have_a_page_that_says_what_is_missing(method):
    text = check(render(classifier(method=method)))
    assert 'has no calibration' in text
    if method in ('dp-df', 'diprime', 'dp-ert', 'inprivate'):
        assert 'standard deviations of the noise' not in text


def test_several_classes__have_a_line_each():
    text = check(render(classifier(classes=('low', 'middle', 'high'))))
    assert 'one of several classes' in text and 'low, middle, high' in text


def test_numbers__are_in_units_of_the_label():
    X, signal = records(3000)
    text = check(render(HedgerowRegressor(label_bounds=(0, 500), **FACTS).fit(X, 100 * signal)))
    assert 'from 0 to 500' in text and 'it predicts a number' in text


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


def test_first_tree__is_drawn_if_it_is_small(page):
    assert 'The first tree' in check(page) and re.search(r'aria-label="The first tree: [1-9]', page)
    text = render(classifier(method='dp-df'))
    check(text)
    assert 'aria-label="The first tree' not in text  # its splits have many ways


def test_same_model__same_page(hedge, page):
    assert page == render(Model.parse(hedge.model_.to_json()))


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
    assert run('report', 'm.json', '-o', 'other.html', cwd=tmp_path).returncode == 0
    assert (tmp_path / 'm.html').read_text('utf-8') == (tmp_path / 'other.html').read_text('utf-8')
    assert run('m.json', cwd=tmp_path).stdout == hedge.model_.summary()
    absent = run('report', 'absent.json', cwd=tmp_path)
    assert absent.returncode == 1 and 'absent.json' in absent.stderr
    assert run(cwd=tmp_path).returncode == 2


@pytest.mark.skipif(not shutil.which('chromium'), reason='chromium is not installed')
@pytest.mark.parametrize('scheme', ['0', '1'])
def test_browser__has_no_error_and_no_page_is_wider_than_a_phone(page, tmp_path, scheme):
    """A frame of 375 pixels holds the page; a script in the page around it reads how wide it is."""
    (tmp_path / 'around.html').write_text('<!doctype html><title>wait</title><iframe width="375" height="700" srcdoc="%s"></iframe><script>'
                                          'onload = () => { const page = document.querySelector("iframe").contentDocument.documentElement;'
                                          'document.title = "width " + page.scrollWidth + " of " + page.clientWidth; }</script>' % html.escape(page))
    seen = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', '--v=0', '--virtual-time-budget=5000',
                           '--blink-settings=preferredColorScheme=' + scheme, '--dump-dom', 'file://%s/around.html' % tmp_path],
                          capture_output=True, text=True, timeout=120)
    width, frame = map(int, re.search(r'<title>width (\d+) of (\d+)', seen.stdout).groups())
    assert width <= frame
    assert 'CONSOLE' not in seen.stderr


def test_page__is_not_larger_for_many_shapes():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.uniform(size=(3000, 30)), columns=['f%d' % k for k in range(30)])
    text = render(HedgerowClassifier(bounds=(0, 1), classes=[False, True], epsilon=8).fit(X, X.f0 + X.f1 > 1))
    check(text)
    assert len(text) < 2 ** 20
