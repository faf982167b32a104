"""Tables through Arrow's C stream interface (PyCapsules), so that no library of Arrow is needed."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

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

NUMBERS = {'f': 'f4', 'g': 'f8', 'c': 'i1', 'C': 'u1', 's': 'i2', 'S': 'u2', 'i': 'i4', 'I': 'u4', 'l': 'i8', 'L': 'u8', 'e': 'f2'}
OFFSETS = {'u': 'i4', 'U': 'i8'}  # texts by 32-bit and by 64-bit offsets
VIEW = np.dtype([('size', '<i4'), ('start', 'S4'), ('buffer', '<i4'), ('offset', '<i4')])  # texts of more than 12 bytes, as 'vu' has them


@dataclass
class Array:
    """kind: 'number' (NaN: missing), 'boolean' (0, 1; -1: missing), 'category' (codes; -1), 'text' (None: missing) or 'other'."""
    kind: str
    cells: NDArray[Any]
    values: tuple[str, ...] = ()
    format: str = ''


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
    if first.kind != 'category':
        return Array(first.kind, np.concatenate([part.cells for part in parts]), first.values, first.format)
    number: dict[str, int] = {}
    cells = []
    for part in parts:
        codes = np.array([number.setdefault(value, len(number)) for value in part.values] + [-1])
        cells.append(codes[part.cells])
    return Array('category', np.concatenate(cells), tuple(number), first.format)


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
        return Array('text', texts(form, cells, there), format=form)
    return Array('other', np.empty(cells.length), format=form)


def texts(form: str, cells: Cells, there: Any) -> NDArray[Any]:
    out = np.empty(cells.length, dtype=object)
    get = views_of(cells) if form == 'vu' else slices_of(cells, OFFSETS[form])
    for i in range(cells.length):
        out[i] = get(cells.offset + i) if there is None or there[i] else None
    return out


def slices_of(cells: Cells, dtype: str) -> Any:
    offsets = cells.view(1, cells.end + 1, dtype)
    data = bytes(cells.view(2, int(offsets[-1]), 'u1'))
    return lambda i: data[offsets[i]:offsets[i + 1]].decode()


def views_of(cells: Cells) -> Any:
    raw = cells.view(1, 16 * cells.end, 'u1')
    entries = raw.view(VIEW)

    def get(i: int) -> str:
        size = int(entries['size'][i])
        if size <= 12:
            return bytes(raw[16 * i + 4:16 * i + 4 + size]).decode()
        start = ffi.cast('char *', cells.array.buffers[2 + int(entries['buffer'][i])]) + int(entries['offset'][i])
        return bytes(ffi.buffer(start, size)).decode()
    return get


def decode_dictionary(field: Any, cells: Cells, there: Any) -> Array:
    codes = cells.view(1, cells.end, NUMBERS[ffi.string(field.format).decode()])[cells.offset:].astype(np.int64)
    values = cells.array.dictionary
    listed = decode(field.dictionary, Cells(cells.chunk, values, values.offset, values.length))
    if listed.kind not in ('text', 'number'):
        return Array('other', np.empty(cells.length), format='dictionary of ' + listed.format)
    if there is not None:
        codes = np.where(there, codes, -1)
    # A dictionary may list a value twice, or list nothing as a value.
    number: dict[str, int] = {}
    of_value = [-1 if value is None or value != value else number.setdefault(text_of(value), len(number)) for value in listed.cells]
    return Array('category', np.array(of_value + [-1], dtype=np.int64)[codes], tuple(number), 'dictionary')


def text_of(value: Any) -> str:
    """3.0 is "3", as in other columns."""
    return str(int(value)) if isinstance(value, (float, np.floating)) and float(value).is_integer() else str(value)
