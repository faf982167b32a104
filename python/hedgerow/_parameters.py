"""What a fit refuses before it reads a cell: parameters of a wrong type, and those that it would ignore."""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._cells import text_of_value
from ._native import call, ffi, lib
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._frames import Columns

IN_SCHEMA = ('bounds', 'categories', 'classes', 'label_bounds', 'monotonic_cst')
OF_THEIR_OWN = ('epsilon', 'delta', 'interactions')


def check_parameters(given: Mapping[str, Any]) -> None:
    """given: of an estimator, by name. Fails: ArgumentError."""
    if not isinstance(given['method'], str):
        raise ArgumentError('method is a name, such as "hedge", not %r; hedgerow.methods() lists them.' % (given['method'],))
    beside = [name for name in IN_SCHEMA if given.get(name) is not None]
    if given['schema'] is not None and beside:
        raise ArgumentError('%s beside schema: the schema has these facts. Leave one of the two out.' % ', '.join(beside))
    check_classes(given.get('classes'))
    check_options(given['options'])
    check_interactions(given.get('interactions'))
    most = given['records_per_person']
    if most is not None and not (is_whole(most) and most > 0):
        raise ArgumentError('records_per_person is a whole number from 1 on, or None, not %r.' % (most,))
    if given['progress'] is not None and not callable(given['progress']):
        raise ArgumentError('progress is a function of (done, total), or None, not %r.' % (given['progress'],))
    seed = given['random_state']
    if seed is not None and not is_whole(seed) and not hasattr(seed, 'randint'):
        raise ArgumentError('random_state is a whole number, a RandomState of numpy, or None, not %r.' % (seed,))
    threads_of(given['n_jobs'])


def check_classes(classes: Any) -> None:
    if classes is None:
        return
    if isinstance(classes, (str, bytes, Mapping)) or not hasattr(classes, '__iter__'):
        raise ArgumentError("classes is a list of the values of the label, such as ['no', 'yes'], not %r." % (classes,))
    if len(set(classes)) < 2 or len(set(classes)) < len(list(classes)):
        raise ArgumentError('classes lists two values or more, each once, not %r.' % (list(classes)[:10],))


def check_interactions(interactions: Any) -> None:
    """Whether there are such features, and which words there are, is the library's to check."""
    if interactions is None or isinstance(interactions, str):
        return
    lists = list(interactions) if isinstance(interactions, (list, tuple)) else [interactions]
    if not all(isinstance(one, (list, tuple)) and all(isinstance(name, str) for name in one) for one in lists):
        raise ArgumentError("interactions is 'all', 'pairs', 'none', or lists of names of features, such as [['age', 'dose'], ['x', 'y', 'z']], not %r; "
                            'columns without names are x0, x1, ...' % (interactions,))


def check_options(options: Any, apart: Sequence[str] = OF_THEIR_OWN) -> None:
    """Of a method; `apart` are parameters beside them. Whether it has an option, and its range, are the library's to check."""
    if options is None:
        return
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ArgumentError("options is {name: value}, such as {'bins': 32}, not %r." % (options,))
    twice = [name for name in apart if name in options]
    if twice:
        raise ArgumentError('options has %s, which is a parameter of its own: give it there.' % ', '.join(twice))


def option_text(value: Any) -> str:
    """As the library reads the value of an option; lists are those of interactions."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, tuple)) else text_of_value(value)


def check_budget(epsilon: Any, delta: Any) -> None:
    """Of a private method. Ranges are the library's to check."""
    if not is_number(epsilon):
        raise ArgumentError('epsilon is a number above 0, not %r.' % (epsilon,))
    if delta is not None and not is_number(delta):
        raise ArgumentError("delta is a number, or None for the method's default, not %r." % (delta,))


def record_weights(given: Mapping[str, Any], rows: int) -> NDArray[np.float64] | None:
    """What `fit` was given besides X and y. Only sample_weight is taken, and not by a parameter of that name: scikit-learn's ensembles take one as a
    promise that any weights will do, such as counts of copies and numbers that were divided by their sum, which depend on all records.
    Fails: TypeError (another keyword), ArgumentError."""
    unknown = [name for name in given if name != 'sample_weight']
    if unknown:
        raise TypeError('fit takes X, y and sample_weight, and no %s.' % ', '.join(map(repr, unknown)))
    if given.get('sample_weight') is None:
        return None
    try:
        weights = np.ascontiguousarray(given['sample_weight'], dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError('sample_weight is a number from 0 to 1 for each record.') from None
    if weights.shape != (rows,):
        raise ArgumentError('sample_weight has the shape %s, and X has %d records: give one number for each.' % (weights.shape, rows))
    if not ((weights >= 0) & (weights <= 1)).all():
        raise ArgumentError('sample_weight has numbers that are not from 0 to 1. The noise covers what one record with weight 1 changes: a record of weight 2 '
                            'would change twice as much. Give numbers that are functions of one record each, not divided by a sum or a largest one.')
    return weights


def exposures_of(given: Any, named: tuple[str, float] | None, columns: Columns) -> NDArray[np.float64] | None:
    """A number above 0 for each record, if the schema names an exposure, and nothing else: what is given, or the table's column of that name. Fails:
    ArgumentError."""
    if named is None and given is None:
        return None
    if named is None:
        raise ArgumentError('exposure is for counts whose schema names one: Schema.build(..., exposure=(name, high)), or "exposure" of the label.')
    own = next((column.cells for column in columns.items if column.name == named[0] and column.kind == 'number'), None) if columns.named else None
    if given is None:
        given = own
    if given is None:
        raise ArgumentError('The schema names an exposure (%s): give exposure, a number above 0 and at most %g for each record, or a column of that name.' %
                            named)
    try:
        exposures = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError('exposure is a number above 0 for each record.') from None
    if exposures.shape != (columns.rows,):
        raise ArgumentError('exposure has the shape %s, and X has %d records: give one number for each.' % (exposures.shape, columns.rows))
    if not ((exposures > 0) & (exposures <= named[1])).all():
        raise ArgumentError('exposure has numbers that are not above 0 and at most %g, the bound in the schema.' % named[1])
    if own is not None and not np.array_equal(exposures, np.asarray(own, dtype=np.float64)):
        raise ArgumentError('X has a column %s of other numbers than exposure: leave one of the two out.' % named[0])
    return exposures


def threads_of(n_jobs: Any) -> int:
    """As the library counts threads: 0 is all processors. -1 is all, -2 all but one, as in scikit-learn; None is 1. Fails: ArgumentError."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ArgumentError('n_jobs is a whole number of threads, -1 for all processors, or None for one, not %r.' % (n_jobs,))
    return max(1, processors() + 1 + int(n_jobs)) if n_jobs < -1 else max(0, int(n_jobs))


def processors() -> int:
    """As many as the library takes for 0. Fails: ArgumentError (HEDGEROW_THREADS)."""
    found = ffi.new('int *')
    call(lib.hr_threads, found)
    return int(found[0])


def is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
