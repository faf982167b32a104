#!/usr/bin/env python3
"""A Parquet file is, to every command, the CSV table with the same cells: the same proposal, report, model, predictions and figures, byte for byte.
Where ARROW is the package pyarrow of a virtual environment, also for tables that pyarrow writes in every compression, with and without dictionaries.
usage: parquet.py HEDGEROW GROUPS.parquet [ARROW]      beside GROUPS.csv"""
import os
import shutil
import subprocess
import sys
import tempfile

SCHEMA = '''hedgerow-schema: 1
%slabel: {name: y, kind: classes, values: [a, b]}
features: [{name: x, kind: number, low: 0, high: 100}, {name: z, kind: category, values: [u, v]}]
'''
NOISE = ['--unsafe-reproducible-noise', '--seed', '5', '--quiet']
MAKE = '''
import pyarrow as pa, pyarrow.csv as csv, pyarrow.parquet as pq, random, itertools
draw = random.Random(1)
def some(values): return [None if draw.random() < .1 else v for v in values]
n = 500
table = pa.table({'x': pa.array(some([draw.uniform(0, 100) for _ in range(n)]), pa.float32()),
                  'z': pa.array(some([draw.choice('uvw') for _ in range(n)])).dictionary_encode(),
                  'n': pa.array(some([draw.randrange(10**6) for _ in range(n)]), pa.int32()),
                  'd': pa.array(some([draw.gauss(0, 1e3) for _ in range(n)]), pa.float64()),
                  'when': pa.array(some([draw.randrange(20000) for _ in range(n)]), pa.date32()),
                  'yes': pa.array(some([draw.random() < .5 for _ in range(n)])),
                  'y': pa.array([draw.choice('ab') for _ in range(n)])})
csv.write_csv(table, 'made.csv')
kinds = itertools.product(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'], ['1.0', '2.0'], [True, False])
for compression, pages, coded in kinds:
    pq.write_table(table, 'made-%s-%s-%s.parquet' % (compression, pages, coded), compression=compression, data_page_version=pages, use_dictionary=coded,
                   row_group_size=draw.choice([1, 97, 1000]))
'''


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = os.path.abspath(path), folder

    def run(self, *words):
        return subprocess.run([self.path, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)

    def must(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, (words, done.stderr.decode())
        return done.stdout

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)


def outputs(tool, table):
    """{what: bytes} of every command that reads a table."""
    found = {}
    def put(name, *words):
        found[name] = tool.must(*words)
    def put_file(name, file, *words):
        tool.must(*words)
        found[name] = tool.read(file)
    put('init', 'schema', 'init', '--data', table, '--label', 'y')
    put('check', 'schema', 'check', '--data', table, '--schema', 's.yaml')
    put_file('gbdt', 'm.json', 'train', '--data', table, '--schema', 's.yaml', '--method', 'gbdt', '--trees', '3', '--force', '--quiet', '--model', 'm.json')
    put_file('hedge', 'h.json', 'train', '--data', table, '--schema', 's.yaml', '--method', 'hedge', '--epsilon', '2', *NOISE, '--force', '--model', 'h.json')
    put_file('persons', 'p.json', 'train', '--data', table, '--schema', 'who.yaml', '--method', 'hedge', '--epsilon', '2', '--records-per-person', '2', *NOISE,
             '--force', '--model', 'p.json')
    put_file('statistics', 't.json', 'train', '--data', table, '--schema', 's.yaml', '--method', 'statistics', '--epsilon', '2', '--columns', 'x,z', *NOISE,
             '--force', '--model', 't.json')
    put('predict', 'predict', '--data', table, '--model', 'm.json', '--keep', 'note')
    put('evaluate', 'evaluate', '--data', table, '--model', 'm.json')
    put_file('split', 'test.csv', 'split', '--data', table, '--train', 'train.csv', '--test', 'test.csv', '--seed', '3', '--unit', 'who', '--force')
    return found


def check_every_command(tool):
    csv, parquet = outputs(tool, 'groups.csv'), outputs(tool, 'groups.parquet')
    for name, expected in csv.items():
        if name == 'split':  # names and texts are in quotation marks
            expected, parquet[name] = expected.replace(b'"', b''), parquet[name].replace(b'"', b'')
        assert parquet[name] == expected, (name, parquet[name][:600], expected[:600])


def check_files(tool):
    """No file counts twice, also as CSV and Parquet, which may be parts of one table."""
    words = ['--schema', 's.yaml', '--method', 'gbdt', '--quiet', '--force', '--model', 'm.json']
    shutil.copy(os.path.join(tool.folder, 'groups.parquet'), os.path.join(tool.folder, 'copy.parquet'))
    for other, said in (('groups.parquet', "'groups.parquet' is given twice"), ('copy.parquet', "'groups.parquet' and 'copy.parquet' have the same content")):
        done = tool.run('train', '--data', 'groups.parquet', '--data', other, *words)
        assert done.returncode == 2 and said in done.stderr.decode(), done.stderr.decode()
    tool.must('train', '--data', 'groups.parquet', '--data', 'copy.parquet', '--allow-equal-files', *words)
    done = tool.run('train', '--data', 'groups.csv', '--data', 'copy.parquet', *words)
    assert done.returncode and 'holds all of its records 2 times' in done.stderr.decode(), done.stderr.decode()
    tool.must('train', '--data', 'groups.csv', '--data', 'copy.parquet', '--allow-equal-files', *words)
    done = tool.run('train', '--data', '-', *words)
    assert done.returncode == 1 and b'the file is empty' in done.stderr, done.stderr.decode()


def check_what_pyarrow_writes(tool, arrow):
    python = os.path.join(arrow, '..', '..', '..', '..', 'bin', 'python')
    if not os.path.exists(python):
        return print('no interpreter for', arrow)
    subprocess.run([python, '-c', MAKE], cwd=tool.folder, check=True)
    expected = tool.must('schema', 'init', '--data', 'made.csv', '--label', 'y')
    words = ['--schema', 'made.yaml', '--method', 'gbdt', '--trees', '3', '--quiet', '--force', '--model', 'm.json']
    tool.write('made.yaml', '\n'.join(line.partition('review:')[0] if line.lstrip().startswith('review:') else line for line in
                                       expected.decode().splitlines()).replace('reviewed: false', 'reviewed: true') + '\n')
    tool.must('train', '--data', 'made.csv', *words)
    model = tool.read('m.json')
    files = sorted(f for f in os.listdir(tool.folder) if f.startswith('made-'))
    assert len(files) == 24
    for file in files:
        assert tool.must('schema', 'init', '--data', file, '--label', 'y') == expected, file
        tool.must('train', '--data', file, *words)
        assert tool.read('m.json') == model, file


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(sys.argv[1], folder)
        for path in (sys.argv[2], sys.argv[2].replace('.parquet', '.csv')):
            shutil.copy(path, folder)
        tool.write('s.yaml', SCHEMA % '')
        tool.write('who.yaml', SCHEMA % 'unit: who\n')
        check_every_command(tool)
        check_files(tool)
        if len(sys.argv) > 3 and sys.argv[3]:
            check_what_pyarrow_writes(tool, sys.argv[3])


main()
