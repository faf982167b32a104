"""One record at a time through the C interfaces of other libraries, whose shared library Python calls (ctypes).

A call from Python takes as long as some predictions. So the same calls, with the same arguments, are made of a function that does nothing, and what they
take is told beside."""
import ctypes
import functools
import glob
import importlib.util
import json
import os
import time

RUNS = 5  # of all records, of which the fastest counts
FLOAT32, NORMAL = 0, 0  # C_API_DTYPE_FLOAT32, C_API_PREDICT_NORMAL


def shared_library(module, name):
    folder = os.path.dirname(importlib.util.find_spec(module).origin)
    return ctypes.CDLL(glob.glob(os.path.join(folder, 'lib', name))[0])


def idle(*types):
    """A function of the C library that returns at once, called with arguments of these types."""
    call = ctypes.CDLL(None).labs
    call.argtypes, call.restype = types, ctypes.c_int
    return call


def check(status, what):
    if status:
        raise RuntimeError('%s failed' % what)


def pointers(x):
    """Where the records of a table begin."""
    return [x.ctypes.data + i * x.strides[0] for i in range(len(x))]


def lightgbm_calls(model, x):
    """LGBM_BoosterPredictForMatSingleRowFast."""
    library, handle, fast = shared_library('lightgbm', 'lib_lightgbm.*'), ctypes.c_void_p(), ctypes.c_void_p()
    trees, length, out = ctypes.c_int(), ctypes.c_int64(), ctypes.c_double()
    check(library.LGBM_BoosterLoadModelFromString(ctypes.c_char_p(model.model_to_string().encode()), ctypes.byref(trees), ctypes.byref(handle)), 'loading')
    check(library.LGBM_BoosterPredictForMatSingleRowFastInit(handle, NORMAL, 0, -1, FLOAT32, ctypes.c_int32(x.shape[1]), ctypes.c_char_p(b'num_threads=1'),
                                                             ctypes.byref(fast)), 'preparing')
    types = (ctypes.c_void_p,) * 4
    call = library.LGBM_BoosterPredictForMatSingleRowFast
    call.argtypes, call.restype = types, ctypes.c_int
    results = ctypes.addressof(length), ctypes.addressof(out)
    return [(fast, row, *results) for row in pointers(x)], call, idle(*types), lambda kept=(length, out): kept[-1].value


def xgboost_calls(model, x):
    """XGBoosterPredictFromDense: a record is told as JSON, which is made before the clock runs."""
    library, handle = shared_library('xgboost', 'libxgboost.*'), ctypes.c_void_p()
    raw = bytes(model.save_raw('ubj'))
    check(library.XGBoosterCreate(None, ctypes.c_uint64(0), ctypes.byref(handle)), 'making')
    check(library.XGBoosterLoadModelFromBuffer(handle, ctypes.c_char_p(raw), ctypes.c_uint64(len(raw))), 'loading')
    check(library.XGBoosterSetParam(handle, b'nthread', b'1'), 'setting')
    config = b'{"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false, "missing": NaN, "cache_id": 0}'
    shape, dimensions, out = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_uint64(), ctypes.POINTER(ctypes.c_float)()
    types = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    call = library.XGBoosterPredictFromDense
    call.argtypes, call.restype = types, ctypes.c_int
    told = [json.dumps({'data': [row, True], 'shape': [1, x.shape[1]], 'typestr': '<f4', 'version': 3}).encode() for row in pointers(x)]
    results = shape, dimensions, out
    rest = tuple(map(ctypes.addressof, results))
    return [(handle, row, config, None, *rest) for row in told], call, idle(*types), lambda kept=results: kept[-1][0]


def lleaves_calls(model, x):
    """The function that it compiled, which its Python interface calls."""
    import numpy
    out = numpy.zeros(len(x), numpy.float32)
    number = ctypes.POINTER(ctypes.c_float)
    types = (number, number, ctypes.c_int32, ctypes.c_int32)
    table, said = x.ctypes.data_as(number), out.ctypes.data_as(number)
    places = iter(range(1 << 62))
    return [(table, said, i, i + 1) for i in range(len(x))], model._c_entry_func, idle(*types), lambda: out[next(places) % len(x)]


def hessboost_calls(model, x):
    """predict_row, which Python alone has: nothing is taken off."""
    import numpy
    out = numpy.zeros(1, numpy.float32)
    return [(row,) for row in x], functools.partial(model.predict_row, out=out), None, lambda: out[0]


def hedgerow_calls(model, x):
    """What its predictor returns is new memory each time: the answers are asked for once more."""
    call, rows = model.predictor().predict_proba_row, iter(x)
    return [(row,) for row in x], call, None, lambda: call(next(rows))[1]


# What a library gets addresses of has to live as long as the calls: the function that gives an answer has it.
CALLS = {'lightgbm': lightgbm_calls, 'xgboost': xgboost_calls, 'lleaves': lleaves_calls, 'hessboost': hessboost_calls, 'hedgerow': hedgerow_calls}


def seconds_each(call, arguments):
    least = float('inf')
    for _ in range(RUNS):
        start = time.perf_counter()
        for of in arguments:
            call(*of)
        least = min(least, time.perf_counter() - start)
    return least / len(arguments)


def time_rows(library, model, x):
    """What is said of every record; seconds of a prediction with its call, and of the call."""
    arguments, call, nothing, answer = CALLS[library](model, x)
    said = []
    for of in arguments:
        call(*of)
        said.append(float(answer()))
    return said, seconds_each(call, arguments), seconds_each(nothing, arguments) if nothing else 0
