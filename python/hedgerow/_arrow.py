"""Tables through Arrow's C stream interface (PyCapsules), so that no library of Arrow is needed."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

from ._cells import Numbering, text_of_value

ffi = cffi.FFI()
ffi.cdef('''
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
''')

# Times by the first letters of their format: units of numpy, and the type of the elements.
TIMES = {'tdD': ('D', 'i4'), 'tdm': ('ms', 'i8'), 'tss:': ('s', 'i8'), 'tsm:': ('ms', 'i8'), 'tsu:': ('us', 'i8'), 'tsn:': ('ns', 'i8')}
CLOCKS = {'tts': ('s', 'i4'), 'ttm': ('ms', 'i4'), 'ttu': ('us', 'i8'), 'ttn': ('ns', 'i8')}  # times of day
NUMBERS = {'f': 'f4', 'g': 'f8', 'c': 'i1', 'C': 'u1', 's': 'i2', 'S': 'u2', 'i': 'i4', 'I': 'u4', 'l': 'i8', 'L': 'u8', 'e': 'f2'}
OFFSETS = {'u': 'i4', 'U': 'i8'}  # texts by 32-bit and by 64-bit offsets


@dataclass
class Array:
    """kind: 'number' (NaN: missing), 'boolean' (0, 1; -1: missing), 'category' and 'text' (codes of `values`; -1), 'time' (datetime64; NaT),
    or 'other'. zone: of times that are in UTC; '': they are those of clocks."""
    kind: str
    cells: NDArray[Any]
    values: tuple[str, ...] = ()
    format: str = ''
    zone: str = ''


def release(struct: Any) -> None:
    if struct.release != ffi.NULL:
        struct.release(struct)


def read(table: Any) -> tuple[list[str], list[Array]]:
    """Names and columns of an object that has __arrow_c_stream__. Views stay valid as long as their arrays."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ffi.cast('struct ArrowArrayStream *', get(capsule, b'arrow_array_stream'))
    schema = ffi.gc(ffi.new('struct ArrowSchema *'), release)
    check(stream, stream.get_schema(stream, schema))
    if ffi.string(schema.format) != b'+s':
        raise TypeError('Expected a table, with columns, got a single Arrow array.')
    chunks = []
    while True:
        chunk = ffi.gc(ffi.new('struct ArrowArray *'), release)
        check(stream, stream.get_next(stream, chunk))
        if chunk.release == ffi.NULL:
            break
        chunks.append(chunk)
    names = [ffi.string(schema.children[i].name).decode() for i in range(schema.n_children)]
    return names, [joined([decode(schema.children[i], column_cells(chunk, i)) for chunk in chunks])
                   if chunks else decode_nothing(schema.children[i]) for i in range(schema.n_children)]


def check(stream: Any, status: int) -> None:
    if status:
        why = stream.get_last_error(stream)
        raise ValueError('Arrow: %s' % (ffi.string(why).decode() if why != ffi.NULL else 'error %d' % status))


def joined(parts: list[Array]) -> Array:
    """One column of its chunks. Chunks of a dictionary may each have a list of values of their own."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if first.kind not in ('category', 'text'):
        return replace(first, cells=np.concatenate([part.cells for part in parts]))
    number = Numbering()
    cells = [np.array([number[value] for value in part.values] + [-1])[part.cells] for part in parts]
    return replace(first, cells=np.concatenate(cells), values=tuple(number))


def decode_nothing(field: Any) -> Array:
    return Array('number', np.empty(0), format=ffi.string(field.format).decode())


class Keeper(np.ndarray[Any, Any]):
    """An array of a chunk's memory, which it keeps."""
    chunk: Any = None


@dataclass
class Cells:
    """Part of an array: of a chunk's column, those that the chunk says, which has an offset of its own."""
    chunk: Any
    array: Any
    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length

    def view(self, buffer: int, count: int, dtype: str) -> NDArray[Any]:
        """The first elements of a buffer, without a copy."""
        size = count * np.dtype(dtype).itemsize
        if not size:
            return np.empty(0, dtype)
        made = np.frombuffer(ffi.buffer(ffi.cast('char *', self.array.buffers[buffer]), size), dtype).view(Keeper)
        made.chunk = self.chunk
        return made

    def bits(self, buffer: int) -> NDArray[Any]:
        packed = self.view(buffer, (self.end + 7) // 8, 'u1')
        return np.unpackbits(packed, bitorder='little')[self.offset:self.end].astype(bool)

    def valid(self) -> NDArray[Any] | None:
        """A bool for each cell; None if none is missing."""
        if self.array.null_count == 0 or self.array.n_buffers == 0 or self.array.buffers[0] == ffi.NULL:
            return None
        return self.bits(0)


def column_cells(chunk: Any, i: int) -> Cells:
    array = chunk.children[i]
    return Cells(chunk, array, chunk.offset + array.offset, chunk.length)


def decode(field: Any, cells: Cells) -> Array:
    form = ffi.string(field.format).decode()
    there = cells.valid()
    if field.dictionary != ffi.NULL:
        return decode_dictionary(field, cells, there)
    if form in NUMBERS:
        numbers = cells.view(1, cells.end, NUMBERS[form])[cells.offset:]
        if there is not None:
            numbers = np.where(there, numbers.astype(np.float64), np.nan)
        return Array('number', numbers, format=form)
    if form == 'b':
        truth = cells.bits(1).astype(np.int8)
        return Array('boolean', truth if there is None else np.where(there, truth, np.int8(-1)), format=form)
    if form in OFFSETS or form == 'vu':
        return texts(form, cells, there)
    if form[:4] in TIMES or form in TIMES:
        return times(form, cells, there)
    if form in CLOCKS:
        return clocks(form, cells, there)
    if form.startswith('d:') and len(form.split(',')) == 2:
        return Array('number', decimals(int(form.split(',')[1]), cells, there), format=form)
    if form == 'n':
        return Array('number', np.full(cells.length, np.nan), format=form)
    return Array('other', np.empty(cells.length), format=form)


def times(form: str, cells: Cells, there: Any) -> Array:
    return Array('time', instants(TIMES[form if form in TIMES else form[:4]], cells, there), format=form, zone=form[4:])


def clocks(form: str, cells: Cells, there: Any) -> Array:
    """Texts such as 23:59:00."""
    found = instants(CLOCKS[form], cells, there)
    distinct, inverse = np.unique(found, return_inverse=True)
    known = ~np.isnat(distinct)
    texts = [text[11:] for text in np.datetime_as_string(distinct[known], unit='s').tolist()]
    return Array('text', np.where(known[inverse], inverse, -1), tuple(texts), form)  # NaT is the last of distinct ones


def instants(kind: tuple[str, str], cells: Cells, there: Any) -> NDArray[Any]:
    unit, element = kind
    found: NDArray[Any] = cells.view(1, cells.end, element)[cells.offset:].astype(np.int64).view('datetime64[%s]' % unit)
    return found if there is None else np.where(there, found, np.array('NaT', found.dtype))


def decimals(scale: int, cells: Cells, there: Any) -> NDArray[np.float64]:
    """Of integers of 128 bits. Where a float64 holds integer and power of ten, their quotient is the nearest number."""
    halves = cells.view(1, 2 * cells.end, 'i8')[2 * cells.offset:].reshape(-1, 2)
    low, high = halves[:, 0], halves[:, 1]
    numbers = low / 10.0 ** scale
    for i in np.flatnonzero((high != low >> 63) | (abs(low) > 2 ** 53) | (abs(scale) > 22)):
        whole = (int(high[i]) << 64) | (int(low[i]) & (2 ** 64 - 1))
        numbers[i] = float(Decimal(whole).scaleb(-scale))
    return numbers if there is None else np.where(there, numbers, np.nan)


def texts(form: str, cells: Cells, there: Any) -> Array:
    """Equal texts are found as bytes, before they become texts of Python. What stands in missing cells is not looked at."""
    rows = np.arange(cells.length) if there is None else np.flatnonzero(there)
    keys, found = keys_of_views(cells, rows) if form == 'vu' else keys_of_slices(cells, OFFSETS[form], rows)
    decoded = Numbering()
    of_key = np.array([decoded[view_text(cells, key) if form == 'vu' else key.decode()] for key in keys], dtype=np.int64)
    codes = np.full(cells.length, -1, dtype=np.int64)
    codes[rows] = of_key[found]
    return Array('text', codes, tuple(decoded), form)


def keys_of_views(cells: Cells, rows: NDArray[Any]) -> tuple[list[bytes], NDArray[Any]]:
    """The 16 bytes of each view, which are equal only if the texts are: distinct ones, and which one each row has."""
    raw = cells.view(1, 16 * cells.end, 'u1').reshape(-1, 16)[cells.offset + rows]
    first, found = distinct_blocks(raw)
    return [raw[i].tobytes() for i in first.tolist()], found


def keys_of_slices(cells: Cells, dtype: str, rows: NDArray[Any]) -> tuple[list[bytes], NDArray[Any]]:
    """The same of the bytes of texts."""
    offsets = cells.view(1, cells.end + 1, dtype).astype(np.int64)[cells.offset:]
    begins, sizes = offsets[:-1][rows], np.diff(offsets)[rows]
    data = cells.view(2, int(offsets[-1]), 'u1')
    if sizes.max(initial=0) < 16:
        padded = np.concatenate([data, np.zeros(16, dtype=np.uint8)])
        blocks = padded[begins[:, None] + np.arange(16)]
        blocks[np.arange(16) >= sizes[:, None]] = 0
        blocks[:, 15] = sizes
        first, found = distinct_blocks(blocks)
        return [blocks[i, :sizes[i]].tobytes() for i in first.tolist()], found
    number, whole = Numbering(), data.tobytes()
    found = np.array([number[whole[begin:begin + size]] for begin, size in zip(begins.tolist(), sizes.tolist())], dtype=np.int64)
    return list(number), found


def distinct_blocks(blocks: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of rows of 16 bytes: the first row of each distinct one, and which one each row is. They are sorted by a mix of their two words;
    if two different ones have the same, which is unlikely, as what they are."""
    words = np.ascontiguousarray(blocks).view(np.uint64).reshape(-1, 2)
    mixed = words[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ words[:, 1] * np.uint64(0xC2B2AE3D27D4EB4F)
    _, first, found = np.unique(mixed, return_index=True, return_inverse=True)
    if not (words == words[first][found]).all():
        _, first, found = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return first, found.reshape(-1)


def view_text(cells: Cells, key: bytes) -> str:
    size = int.from_bytes(key[:4], 'little')
    if size <= 12:
        return key[4:4 + size].decode()
    buffer, offset = int.from_bytes(key[8:12], 'little'), int.from_bytes(key[12:], 'little')
    return bytes(ffi.buffer(ffi.cast('char *', cells.array.buffers[2 + buffer]) + offset, size)).decode()


def decode_dictionary(field: Any, cells: Cells, there: Any) -> Array:
    codes = cells.view(1, cells.end, NUMBERS[ffi.string(field.format).decode()])[cells.offset:].astype(np.int64)
    values = cells.array.dictionary
    listed = decode(field.dictionary, Cells(cells.chunk, values, values.offset, values.length))
    if listed.kind not in ('text', 'number'):
        return Array('other', np.empty(cells.length), format='dictionary of ' + listed.format)
    if there is not None:
        codes = np.where(there, codes, -1)
    # A dictionary may list a value twice, or list nothing as a value.
    number = Numbering()
    if listed.kind == 'text':
        values_at = [None if code < 0 else listed.values[code] for code in listed.cells]
    else:
        values_at = [None if value != value else text_of_value(value) for value in listed.cells]
    of_value = [-1 if value is None else number[value] for value in values_at]
    return Array('category', np.array(of_value + [-1], dtype=np.int64)[codes], tuple(number), 'dictionary')
