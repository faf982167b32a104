#!/usr/bin/env python3
"""Makes the Parquet files of this folder, which tests read. Needs pyarrow; its version is written into the files.
usage: make.py"""
import decimal
import os
from datetime import date, datetime, time

import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, table, **how):
    pq.write_table(table, os.path.join(HERE, name), **how)


def types():
    """Of every type that is read, three rows: a value, what is missing, another value."""
    numbers = {'i8': (pa.int8(), -128, 127), 'i16': (pa.int16(), -32768, 7), 'i32': (pa.int32(), -2147483648, 7), 'i64': (pa.int64(), -2**63, 2**63 - 1),
               'u8': (pa.uint8(), 0, 255), 'u16': (pa.uint16(), 1, 65535), 'u32': (pa.uint32(), 1, 2**32 - 1), 'u64': (pa.uint64(), 1, 2**64 - 1),
               'f32': (pa.float32(), 0.1, -1e-30), 'f64': (pa.float64(), 0.1, 1e300), 'large32': (pa.float32(), 2139548416., float('inf')),
               'nan': (pa.float64(), float('nan'), -0.5),
               'dec': (pa.decimal128(5, 2), decimal.Decimal('-0.05'), decimal.Decimal('120.50')),
               'tens': (pa.decimal128(38, 0), decimal.Decimal('-' + '9' * 38), decimal.Decimal(7)),
               'wide': (pa.decimal256(60, 30), decimal.Decimal('-123456789012345678901234567890.123456789012345678901234567891'), decimal.Decimal(0)),
               'truth': (pa.bool_(), True, False),
               'text': (pa.string(), 'plain', ' "quoted", and\nmore '), 'long': (pa.large_string(), '', 'é'), 'view': (pa.string_view(), 'short', 'longer than twelve'),
               'code': (pa.dictionary(pa.int8(), pa.string()), 'u', 'v'), 'number code': (pa.dictionary(pa.int32(), pa.int64()), -5, 5),
               'day': (pa.date32(), date(1, 1, 1), date(2026, 11, 29)), 'day64': (pa.date64(), date(1960, 2, 29), date(2026, 11, 29)),
               'clock': (pa.timestamp('s'), datetime(1960, 1, 1, 0, 0, 1), datetime(2026, 11, 29, 13, 5)),
               'micro': (pa.timestamp('us'), datetime(1959, 12, 31, 23, 59, 59, 999999), datetime(2026, 11, 29)),
               'utc': (pa.timestamp('ms', 'UTC'), datetime(2026, 11, 29, 13, 5, 6, 70000), datetime(1970, 1, 1)),
               'time': (pa.time64('us'), time(1, 2, 3), time(23, 59, 59, 5)), 'none': (pa.null(), None, None)}
    arrays = {name: pa.array([first, None, last], kind) for name, (kind, first, last) in numbers.items()}
    write('types.parquet', pa.table(arrays), version='2.6')


def odd():
    write('nested.parquet', pa.table({'x': [1.5, 2.5], 'visits': [[1], [2, 3]], 'y': ['a', 'b']}))
    write('zone.parquet', pa.table({'x': pa.array([datetime(2026, 1, 1)], pa.timestamp('us', 'Europe/Berlin')), 'y': ['a']}))
    write('bytes.parquet', pa.table({'x': pa.array([b'a'], pa.binary()), 'y': ['a']}))
    write('nul.parquet', pa.table({'x': ['a', 'b\0c'], 'y': ['a', 'b']}))
    write('year.parquet', pa.table({'x': pa.array([0, 2**31 - 1], pa.date32()), 'y': ['a', 'b']}))
    write('empty.parquet', pa.table({'x': pa.array([], pa.float64()), 'y': pa.array([], pa.string())}))
    write('one.parquet', pa.table({'y': pa.array([None, 'a', None])}))


def groups():
    """400 records in row groups of 1 to 100, compressed, in pages with checksums."""
    rows = [{'x': i % 97 + .5 if i % 13 else None, 'note': 'record "%d"' % i, 'z': 'uv'[i % 3 % 2], 'y': 'ab'[i * i % 5 % 2], 'who': 'p%d' % (i // 3)} for i in range(400)]
    table = pa.Table.from_pylist(rows, pa.schema([('x', pa.float32()), ('note', pa.string()), ('z', pa.string()), ('y', pa.string()), ('who', pa.string())]))
    for name, compression in (('groups.parquet', 'zstd'), ('groups_gzip.parquet', 'gzip')):
        at = 0
        with pq.ParquetWriter(os.path.join(HERE, name), table.schema, compression=compression, write_page_checksum=True) as file:
            for size in (1, 100, 40, 60, 0, 99, 30, 69, 1):
                file.write_table(table.slice(at, size), row_group_size=max(size, 1))
                at += size
        assert at == len(rows)
    with open(os.path.join(HERE, 'groups.csv'), 'w', encoding='utf-8') as file:
        file.write('x,note,z,y,who\n')
        for r in rows:
            file.write('%s,"%s",%s,%s,%s\n' % ('' if r['x'] is None else r['x'], r['note'].replace('"', '""'), r['z'], r['y'], r['who']))


def number(value):
    """As the footer has it: zigzag, 7 bits a byte, the lowest first."""
    value = value * 2 if value >= 0 else -value * 2 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def promises():
    """Files whose footer promises other numbers of rows than there are: the last 1000 of a footer is that of the row group."""
    path = os.path.join(HERE, 'negative.parquet')
    write('negative.parquet', pa.table({'x': [1.] * 1000, 'y': ['a'] * 1000}), store_schema=False)
    with open(path, 'rb') as file:
        whole = file.read()
    begin = len(whole) - 8 - int.from_bytes(whole[-8:-4], 'little')
    for name, rows in (('negative.parquet', -1000), ('many.parquet', 2**32)):
        head, tail = whole[begin:-8].rsplit(number(1000), 1)
        footer = head + number(rows) + tail
        with open(os.path.join(HERE, name), 'wb') as file:
            file.write(whole[:begin] + footer + len(footer).to_bytes(4, 'little') + whole[-4:])
        assert pq.ParquetFile(os.path.join(HERE, name)).metadata.row_group(0).num_rows == rows


types()
odd()
promises()
groups()
