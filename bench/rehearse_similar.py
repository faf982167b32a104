#!/usr/bin/env python3
"""bench_similar at a tiny size, so that it does not rot. usage: rehearse_similar.py BUILD"""
import json
import os
import subprocess
import sys
import tempfile

ROWS, FEATURES = 600, 9

with tempfile.TemporaryDirectory() as folder:
    table, hashes = os.path.join(folder, 'table'), os.path.join(folder, 'hashes')
    subprocess.run([sys.argv[1] + '/bench/bench_table', table, str(ROWS), str(FEATURES)], check=True)
    line = subprocess.run([sys.argv[1] + '/bench/bench_similar', table, str(ROWS), str(FEATURES), '4', '4', '2', '300', hashes], check=True,
                          capture_output=True, text=True).stdout
    assert json.loads(line)['tables'] == FEATURES - 1, line
    assert os.path.getsize(hashes) == ROWS * (FEATURES - 1) * 2
