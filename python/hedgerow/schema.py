"""The public facts about a table: which columns there are, of which kind, within which bounds."""
from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from numbers import Integral, Real
from typing import Any, Iterable, Mapping, Sequence

from .errors import ArgumentError, PolicyError
from ._cells import text_of_value
from ._native import call, ffi, lib, made, take_text, text_of, text_to, texts_to

DIRECTIONS = {lib.HR_MONOTONE_NONE: None, lib.HR_MONOTONE_INCREASING: 'increasing', lib.HR_MONOTONE_DECREASING: 'decreasing'}
TASKS = {lib.HR_TASK_REGRESSION: 'regression', lib.HR_TASK_BINARY: 'binary', lib.HR_TASK_MULTICLASS: 'multiclass', lib.HR_TASK_COUNT: 'count',
         lib.HR_TASK_SURVIVAL: 'survival', lib.HR_TASK_QUANTILES: 'quantiles'}
NO_INTERVALS = "%s: intervals are cuts such as (30, 90, 365), or {'quantiles': 8, 'high': 1825}, not %r."


@dataclass(frozen=True)
class Column:
    """A column: a number within [low, high], or a category of `values` (low and high do not apply then)."""
    name: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[str, ...] = ()
    boolean: bool = False
    integer: bool = False
    count: bool = False  # of a label: how often something happens; its mean is learned
    event: str | None = None  # of a label: the column that says whether an event came at the times that this column has
    intervals: tuple[float, ...] | Mapping[str, float] = ()  # of such a label: the public cuts at which intervals end; or {'quantiles': 8, 'high': 1825}: a fit finds all but the last
    source: str | None = None  # where these facts are published; a private fit wants it for more than 254 values
    quantiles: tuple[float, ...] = ()  # of a label that is a number: which of its quantiles are learned, increasing; (): its mean
    monotone: str | None = None  # of a feature: 'increasing' or 'decreasing', as the prediction is to be in it; None: either

    @property
    def is_category(self) -> bool:
        """Whether it has a list of values."""
        return bool(self.values)


def column_of(at: Any) -> Column:
    values = tuple(text_of(at.values[i]) for i in range(at.value_count)) if at.kind == lib.HR_KIND_CATEGORY else ()
    is_time = at.event != ffi.NULL
    return Column(text_of(at.name), 0. if is_time else at.low, 0. if is_time else at.high, values, bool(at.boolean), bool(at.integer), bool(at.count),
                  text_of(at.event) or None, intervals_of(at), text_of(at.source) or None,
                  tuple(at.quantiles[i] for i in range(at.quantile_count)), DIRECTIONS[at.monotone])


def intervals_of(at: Any) -> tuple[float, ...] | Mapping[str, float]:
    cuts = tuple(at.intervals[i] for i in range(at.interval_count))
    return {'quantiles': len(cuts), 'high': cuts[-1]} if at.quantile_cuts else cuts


def cuts_of(name: str, given: Any) -> tuple[float, ...]:
    """Public cuts of a label of that name. Fails: ArgumentError (they are none)."""
    try:
        if not isinstance(given, str):
            return tuple(float(cut) for cut in given)
    except (TypeError, ValueError):
        pass
    raise ArgumentError(NO_INTERVALS % (name, given))


def middle_quantile(column: Column) -> int:
    """Which of a label's quantiles is the nearest to the median."""
    return min(range(len(column.quantiles)), key=lambda k: abs(column.quantiles[k] - .5))


def quantile_names(column: Column) -> list[str]:
    """Of a label, as predictions name them: ['q10', 'q50', 'q90']."""
    names = []
    for quantile in column.quantiles:
        room = ffi.new('char[]', lib.HR_QUANTILE_NAME)
        lib.hr_quantile_name(quantile, room)
        names.append(text_of(room))
    return names


def direction_of(column: Column) -> int:
    """Fails: ArgumentError (no such direction)."""
    for direction, word in DIRECTIONS.items():
        if word == column.monotone:
            return int(direction)
    raise ArgumentError("%s: monotone is 'increasing', 'decreasing' or None, not %r." % (column.name, column.monotone))


PLACES = {lib.HR_FACT_LABEL: 'label', lib.HR_FACT_FEATURE: 'feature', lib.HR_FACT_UNUSED: 'unused', lib.HR_FACT_MISSING: 'missing',
          lib.HR_FACT_UNIT: 'unit'}
SHOWN = 8  # values of a list, and names in a message


@dataclass(frozen=True)
class Fact:
    """What a schema says of one column of the table, of the spellings of missing ('missing') or of whose a record is ('unit').

    place: 'label', 'feature', 'unused', 'missing' or 'unit'. proposed: what is said, in words. open: a person must decide before training
    (the unit: before a ledger pays). from_records: it was read off the records. from_name: the bounds are those that are common knowledge
    for such a name. source: where it is published; ''. remark: what the proposal noticed. Proposals are for the owner's eyes alone."""
    place: str
    name: str
    proposed: str
    open: bool
    from_records: bool
    from_name: bool
    source: str = ''
    remark: str = ''


class Schema:
    """A schema. It is public: every model holds its own. Nothing in it may be read off private records; `propose` marks what it read, and
    `facts` and `decide` are for the person who replaces it by what is publicly known."""

    _plain_features: int | None = None  # _frames.plain_features, once it was asked for

    def __init__(self, at: Any, owner: object = None, remarks: dict[str, str] | None = None, notes: str = '') -> None:
        self._at, self._owner = at, owner
        self._remarks, self.notes = remarks or {}, notes

    @classmethod
    def propose(cls, frame: Any, label: str | None = None, y: Any = None, *, dictionary: str | os.PathLike[str] | None = None,
                drop: Iterable[str] = ()) -> Schema:
        """What `hedgerow schema init` proposes for a table, by the same code: kinds, bounds, lists, dates, codes, spellings of missing, identifiers
        and the unit. All that is read off the records awaits review: `facts` lists it, `decide` decides, and `fit` refuses what is open.

        frame: a table of pandas, polars or pyarrow, or an array, whose columns are x0, x1, ... label: the name of the column to be
        predicted; y: the labels, if the frame lacks them (label=None is their name, or 'label'). dictionary: the path of a data dictionary
        (docs/reference/formats.md, Proposals): what it says is public. drop: columns that are left out. `notes` of the result has exact counts of
        columns that may say whose a record is, for the owner alone.
        Fails: ArgumentError, SchemaError (a label that is not there or cannot be one; all columns that cannot be read)."""
        from ._proposal import proposal
        yaml, remarks, notes = proposal(frame, label, y, dictionary, list(drop))
        schema = cls.parse(yaml)
        schema._remarks, schema.notes = remarks, notes
        return schema

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Schema:
        """Reads a YAML file (docs/reference/formats.md). Fails: FileError, FormatError (line and column are named), LimitError."""
        return cls(made(lib.hr_schema_read, 'hr_schema', lib.hr_schema_free, text_to(os.fspath(path))))

    @classmethod
    def parse(cls, text: str) -> Schema:
        """The same of a text."""
        data = text.encode()
        return cls(made(lib.hr_schema_parse, 'hr_schema', lib.hr_schema_free, data, len(data), text_to('the schema')))

    @property
    def accepted(self) -> str:
        """What was read from the records and accepted in place of public facts (`reviewed: true` beside lines `review`), in words; '': nothing.
        A model is then not private, and no ledger, plan or federation takes the schema. Fails: PolicyError (it is not reviewed yet)."""
        self.check_reviewed()
        try:
            call(lib.hr_schema_public, self._at)
        except PolicyError as error:
            return str(error)
        return ''

    # ---- The review of a proposal ----

    @property
    def facts(self) -> list[Fact]:
        """All facts: label, features and columns without a use in the order of the schema, spellings of missing, unit."""
        return [fact for _, fact in self._review()[1]]

    def _review(self) -> tuple[Any, list[tuple[int, Fact]]]:
        review = made(lib.hr_schema_review_open, 'hr_schema_review', lib.hr_schema_review_free, self._at)
        one, found, i = ffi.new('hr_fact *'), [], 0
        while lib.hr_schema_review_at(review, i, one):
            place, name = PLACES[one.place], text_of(one.name)
            found.append((i, Fact(place, name, proposed_text(review, one), bool(one.open), bool(one.from_records), bool(one.from_name),
                                  text_of(one.source), self._remarks.get(name, '') if one.column != ffi.NULL else '')))
            i += 1
        return review, found

    def decide(self, facts: str | Fact | Iterable[str | Fact], *, source: str | None = None, bounds: tuple[float, float] | None = None,
               dates: tuple[str, str] | None = None, values: Iterable[Any] | None = None, unit: str | None = None, accept: bool = False,
               leave_out: bool = False) -> Schema:
        """A new schema with a decision about a fact, or about each of several (names of columns, 'missing', 'unit', or items of `facts`).

        source alone: it is publicly known as proposed, and published there. With bounds (low, high) of a number, dates (first day, last
        day) of a column of dates, or values of a category, of classes or of missing: these are the public facts. unit: the column that says
        whose a record is, or 'record' (each person has one). accept: it stays as it was read off the records: models are NOT PRIVATE.
        leave_out: the column is taken out. Fails: ArgumentError (no such fact; the decision does not fit it), FormatError (the source is
        blank, what is said cannot be)."""
        wanted = [facts] if isinstance(facts, (str, Fact)) else list(facts)
        review, found = self._review()
        for one in wanted:
            apply_decision(review, find_fact(found, one), {'source': source, 'bounds': bounds, 'dates': dates, 'values': values, 'unit': unit,
                                                           'accept': accept or None, 'leave_out': leave_out or None})
        return self._decided(review)

    def accept_proposed(self) -> Schema:
        """A new schema in which all that is open stays as it was read off the records: models are NOT PRIVATE, and no ledger pays."""
        review, found = self._review()
        for i, fact in found:
            if fact.open and (fact.place != 'unit' or self.unit_column):
                call(lib.hr_schema_review_accept, review, i)
        return self._decided(review)

    def _decided(self, review: Any) -> Schema:
        at = made(lib.hr_schema_review_make, 'hr_schema', lib.hr_schema_free, review)
        return Schema(at, remarks=self._remarks, notes=self.notes)

    def check_reviewed(self) -> None:
        """Fails: PolicyError, which names all that a person must decide before training."""
        try:
            call(lib.hr_schema_reviewed, self._at)
        except PolicyError as error:
            names = [fact.name for fact in self.facts if fact.open and (fact.place != 'unit' or self.unit_column)]
            if len(names) < 2:
                raise
            shown = ', '.join(names[:SHOWN]) + (', and %d more' % (len(names) - SHOWN) if len(names) > SHOWN else '')
            raise PolicyError('%d facts of the schema await a decision (%s): give each its public fact and source, schema.decide(name, bounds=..., '
                              'source=...), or leave it out; schema.accept_proposed() accepts what was read off the records, and the model is '
                              'then NOT PRIVATE.' % (len(names), shown), field=error.field, message=error.message, remedy=error.remedy) from None

    def __repr__(self) -> str:
        facts = self.facts
        features = sum(fact.place == 'feature' for fact in facts)
        unused = sum(fact.place == 'unused' for fact in facts)
        waiting = sum(fact.open for fact in facts)
        return '<Schema: label %r, %d column%s%s%s>' % (
            facts[0].name, features, '' if features == 1 else 's', ', %d unused' % unused if unused else '',
            '; %d facts await a decision' % waiting if waiting else '')

    def _repr_html_(self) -> str:
        """A table for a notebook: what awaits a decision first."""
        facts = sorted(self.facts, key=review_order)
        waiting = sum(fact.open for fact in facts)
        head = '%d of %d facts await a decision. For the owner of the records only.' % (waiting, len(facts)) if waiting else 'Nothing awaits a decision.'
        rows = ''.join('<tr>%s</tr>' % ''.join('<td style="text-align:left;vertical-align:top">%s</td>' % escape(cell) for cell in (
            fact.name + (' (the label)' if fact.place == 'label' else ''), fact.proposed, status_text(fact), fact.remark)) for fact in facts)
        titles = ''.join('<th style="text-align:left">%s</th>' % title for title in ('column', 'proposed', 'decision', 'remarks'))
        return '<p><b>Schema</b>: %s</p><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>' % (escape(head), titles, rows)

    # ---- From code ----

    @classmethod
    def build(cls, label: Column, features: Iterable[Column], unit: str | None = 'record', weight: tuple[str, float] | None = None,
              exposure: tuple[str, float] | None = None) -> Schema:
        """From code. Who builds one vouches that all of it is public. unit: the column that says whose each record is; 'record', or None:
        each person has one record, which the guarantee says. weight: the column that says how much a record counts, and its public bound.
        exposure: of a label that is a count, the same of what a record's mean is in proportion to, such as ('days', 365). Fails: FormatError (the column is named), LimitError."""
        if label.monotone:
            raise ArgumentError('%s: a feature is monotone, not the label.' % label.name)
        if label.intervals and label.event is None:
            raise ArgumentError('%s: intervals are of a time; give the event, too.' % label.name)
        builder = made(lib.hr_schema_builder_new, 'hr_schema_builder', lib.hr_schema_builder_free)
        if label.is_category:
            values, _kept = texts_to(list(label.values))
            call(lib.hr_schema_label_classes, builder, text_to(label.name), values, len(label.values))
        elif label.event is not None:
            cls._add_time(builder, label, text_to(label.event))
        else:
            call(lib.hr_schema_label_count if label.count else lib.hr_schema_label_number, builder, text_to(label.name), label.low, label.high)
        if label.quantiles:
            call(lib.hr_schema_label_quantiles, builder, ffi.new('double[]', list(label.quantiles)), len(label.quantiles))
        if label.source:
            call(lib.hr_schema_set_source, builder, text_to(label.source))
        for column in features:
            cls._add(builder, column)
        if unit not in (None, 'record'):
            call(lib.hr_schema_set_unit, builder, text_to(unit))
        if weight:
            call(lib.hr_schema_set_weight, builder, text_to(weight[0]), weight[1])
        if exposure:
            call(lib.hr_schema_set_exposure, builder, text_to(exposure[0]), exposure[1])
        return cls(made(lib.hr_schema_build, 'hr_schema', lib.hr_schema_free, builder))

    @staticmethod
    def _add_time(builder: Any, label: Column, event: Any) -> None:
        name, given = text_to(label.name), label.intervals
        if not isinstance(given, Mapping):
            cuts = cuts_of(label.name, given)
            call(lib.hr_schema_label_time, builder, name, event, ffi.new('double[]', cuts), len(cuts))
            return
        if set(given) != {'quantiles', 'high'} or not isinstance(given['quantiles'], Integral) or not isinstance(given['high'], Real):
            raise ArgumentError(NO_INTERVALS % (label.name, dict(given)))
        if not 2 <= given['quantiles'] <= 64:
            raise ArgumentError('%s: the quantiles of intervals are a whole number from 2 to 64, not %r.' % (label.name, given['quantiles']))
        if not given['high'] > 0:
            raise ArgumentError('%s: high: give the last cut, above 0, not %r.' % (label.name, given['high']))
        call(lib.hr_schema_label_time_quantiles, builder, name, event, int(given['quantiles']), float(given['high']))

    @staticmethod
    def _add(builder: Any, column: Column) -> None:
        name = text_to(column.name)
        if column.quantiles or column.count or column.event is not None or column.intervals:
            raise ArgumentError('%s: quantiles, count, event and intervals are of the label.' % column.name)
        if column.boolean:
            call(lib.hr_schema_add_boolean, builder, name)
        elif column.is_category:
            values, _kept = texts_to(list(column.values))
            call(lib.hr_schema_add_category, builder, name, values, len(column.values))
        else:
            call(lib.hr_schema_add_number, builder, name, column.low, column.high, column.integer)
        if column.monotone:
            call(lib.hr_schema_set_monotone, builder, direction_of(column))
        if column.source:
            call(lib.hr_schema_set_source, builder, text_to(column.source))

    def __getstate__(self) -> dict[str, Any]:
        """The facts alone: remarks and notes of a proposal tell of the records, and an estimator with its schema may go to others."""
        return {'yaml': self.to_yaml()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._at, self._owner = Schema.parse(state['yaml'])._at, None
        self._remarks, self.notes = {}, ''

    @property
    def task(self) -> str:
        """'regression', 'binary', 'multiclass', 'count', 'survival' or 'quantiles'."""
        return TASKS[lib.hr_schema_task(self._at)]

    @property
    def label(self) -> Column:
        """What is predicted: a number, or the classes in the order of their indices."""
        return column_of(lib.hr_schema_label(self._at))

    @property
    def features(self) -> Sequence[Column]:
        """In the order of the columns that models take."""
        return [column_of(lib.hr_schema_feature(self._at, i)) for i in range(lib.hr_schema_feature_count(self._at))]

    @property
    def missing(self) -> list[str]:
        """The spellings of a missing value in texts, besides the empty one; of numbers, too."""
        return [text_of(lib.hr_schema_missing(self._at, i)) for i in range(lib.hr_schema_missing_count(self._at))]

    @property
    def unit(self) -> str | None:
        """The column that says whose record it is; 'record': each person has one record; None: the schema does not say, and no ledger pays."""
        return text_of(lib.hr_schema_unit(self._at)) or ('record' if lib.hr_schema_single_records(self._at) else None)

    @property
    def unit_column(self) -> str | None:
        """The column that says whose record it is; None: there is none."""
        return text_of(lib.hr_schema_unit(self._at)) or None

    @property
    def weight(self) -> tuple[str, float] | None:
        """The column that says how much a record counts, and its public bound, which counts 1; None: every record counts 1. Owners and the
        command read it from tables; `fit` takes `sample_weight` in its place, with a schema that names none."""
        high = ffi.new('double *')
        name = text_of(lib.hr_schema_weight(self._at, high))
        return (name, high[0]) if name else None

    @property
    def exposure(self) -> tuple[str, float] | None:
        """Of a label that is a count: the column that says during how much time, or among how many, it was taken, and its public bound; None:
        all records have the same. `fit` and `predict` take `exposure` in the place of the column."""
        high = ffi.new('double *')
        name = text_of(lib.hr_schema_exposure(self._at, high))
        return (name, high[0]) if name else None

    def to_yaml(self) -> str:
        """What `parse` reads back to the same facts."""
        out = ffi.new('char **')
        call(lib.hr_schema_render, self._at, out)
        return take_text(out[0])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_yaml` to a new file, which its owner alone may read: it may have been read off the records. Fails: FileExistsError,
        OSError."""
        with os.fdopen(os.open(os.fspath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'w', encoding='utf-8') as file:
            file.write(self.to_yaml())


# ---- Facts ---------------------------------------------------------------------------------------------------------------

def listed(values: Sequence[str]) -> str:
    return ', '.join(values[:SHOWN]) + (', ... (%d in all)' % len(values) if len(values) > SHOWN else '')


def day_text(second: int) -> str:
    return (datetime(1970, 1, 1) + timedelta(seconds=second)).strftime('%Y-%m-%d')


def number_text(value: float) -> str:
    return '%d' % value if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def proposed_text(review: Any, fact: Any) -> str:
    """What a fact says, in words."""
    if fact.place == lib.HR_FACT_MISSING:
        count = ffi.new('size_t *')
        words = lib.hr_schema_review_missing(review, count)
        return 'missing values are written %s' % listed([repr(text_of(words[i])) for i in range(count[0])]) if count[0] else 'no word means missing'
    if fact.place == lib.HR_FACT_UNIT:
        unit = text_of(lib.hr_schema_review_unit(review))
        return 'records are of one person if they agree in %s' % unit if unit else 'nothing says whose a record is' if fact.open else 'each person has one record'
    column = fact.column
    if fact.place == lib.HR_FACT_UNUSED:
        return 'no feature'
    if column.date != ffi.NULL:
        return 'date, %s to %s' % (day_text(getattr(column.date, 'from')), day_text(column.date.to))
    if column.event != ffi.NULL and column.quantile_cuts:
        return 'time of %s, %d intervals of about equal numbers of events up to %s' % (
            text_of(column.event), column.interval_count, number_text(column.intervals[column.interval_count - 1]))
    if column.event != ffi.NULL:
        return 'time of %s, intervals end at %s' % (text_of(column.event), listed([number_text(column.intervals[i]) for i in range(column.interval_count)]))
    if column.kind == lib.HR_KIND_NUMBER:
        return '%s, %s to %s' % ('count' if column.count else 'integer' if column.integer else 'number', number_text(column.low), number_text(column.high))
    if column.boolean:
        return 'boolean'
    kind = 'classes' if fact.place == lib.HR_FACT_LABEL else 'values'
    return '%d %s: %s' % (column.value_count, kind, listed([text_of(column.values[i]) for i in range(column.value_count)]))


def status_text(fact: Fact) -> str:
    if fact.open:
        return 'open: from the name, a guess' if fact.from_name else 'open: read off the records' if fact.from_records else 'open'
    if fact.from_records:
        return 'accepted as read off the records: NOT PRIVATE'
    return 'public: %s' % fact.source if fact.source else 'public'


def review_order(fact: Fact) -> tuple[bool, int, bool]:
    """What is open first: the label and whose a record is, then what has remarks."""
    return not fact.open, ('label', 'unit', 'missing', 'feature', 'unused').index(fact.place), not fact.remark


def find_fact(found: list[tuple[int, Fact]], wanted: str | Fact) -> tuple[int, Fact]:
    """A column comes before the fact of the same name about the whole table."""
    for i, fact in found:
        if fact == wanted or (isinstance(wanted, Fact) and (fact.place, fact.name) == (wanted.place, wanted.name)) or fact.name == wanted:
            return i, fact
    raise ArgumentError('The schema has no fact %r; it has %s.' % (wanted, listed([fact.name for _, fact in found])))


def apply_decision(review: Any, at: tuple[int, Fact], given: dict[str, Any]) -> None:
    i, fact = at
    source = text_to(given.pop('source'))
    said = {key: value for key, value in given.items() if value is not None}
    if len(said) > 1 or (not said and source == ffi.NULL and fact.place != 'unit'):
        raise ArgumentError('Decide about %r by one of source, bounds, dates, values, unit, accept and leave_out; bounds, dates and values have a '
                            'source besides.' % fact.name)
    kind = next(iter(said), 'public')
    value: Any = said.get(kind)
    if kind == 'bounds':
        call(lib.hr_schema_review_bounds, review, i, ffi.new('double[2]', [float(end) for end in value]), source)
    elif kind == 'dates':
        ends, _kept = texts_to([str(end) for end in value])
        call(lib.hr_schema_review_range, review, i, ends, source)
    elif kind == 'values':
        texts = [text_of_value(item) for item in value]
        words, _kept = texts_to(texts)
        call(lib.hr_schema_review_values, review, i, words, len(texts), source)
    elif kind == 'unit':
        call(lib.hr_schema_review_set_unit, review, i, text_to(None if value == 'record' else value))
    elif kind == 'public':
        call(lib.hr_schema_review_public, review, i, source)
    else:
        call(lib.hr_schema_review_accept if kind == 'accept' else lib.hr_schema_review_leave_out, review, i)
