#!/usr/bin/env python3
"""bench_similar beside faiss, one thread each, exact both: IndexBinaryFlat over hashes in one-hot bits, where every hash that differs is a
distance of 2. usage: similar_faiss.py BUILD TABLE ROWS FEATURES WIDTH RANGE SAMPLE
TABLE is of bench_table. faiss answers SAMPLE of the queries, and its time is scaled up to all; the index is made before that. Prints what
bench_similar prints, then faiss's processor seconds and how many times as many they are as those of the search."""
import json
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np


def one_hot(hashes):
    """Bits of every row, packed: one for each value of each table."""
    bits = [(hashes[:, t, None] == np.unique(hashes[:, t])) for t in range(hashes.shape[1])]
    bits = np.concatenate(bits, axis=1)
    return np.packbits(np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64))), axis=1)


def main():
    build, table, rows, features, width, size, sample = sys.argv[1:]
    with tempfile.NamedTemporaryFile() as file:
        line = subprocess.run([build + '/bench/bench_similar', table, rows, features, width, size, '1', '100', file.name], check=True,
                              capture_output=True, text=True).stdout
        ours = json.loads(line)
        hashes = np.fromfile(file.name, dtype='<i2').reshape(int(rows), ours['tables'])
    print(line.strip())
    half, count = int(rows) // 2, int(sample)
    codes = one_hot(hashes)
    faiss.omp_set_num_threads(1)
    index = faiss.IndexBinaryFlat(codes.shape[1] * 8)
    index.add(codes[half:])
    queries = np.arange(count) * half // count
    start = time.process_time()
    distances, _ = index.search(codes[queries], 1)
    seconds = (time.process_time() - start) * half / count
    print(json.dumps({'bits': codes.shape[1] * 8, 'faiss': round(seconds, 2), 'ratio': round(seconds / ours['search_processor'], 1),
                      'equal': round(float(1 - distances.mean() / 2 / ours['tables']), 3)}))


main()
