#!/usr/bin/env python3
"""Ctrl-C stops a fit: a handler of interrupts gets it, what the ledger reserved stays spent, and R goes on. usage: interrupt.py"""
import os
import signal
import subprocess
import sys
import tempfile

# A fit of many minutes.
PROGRAM = '''
library(hedgerow)
hospital <- hedgerow_hospital(rows = 20000)
ledger <- hedgerow_ledger_create("ledger.db", 3, 1e-5)
ended <- tryCatch({
    cat("begun\\n")
    hedgerow(readmitted ~ ., hospital$data, schema = hospital$schema, method = "dpboost", trees = 10000, epsilon = 2, ledger = ledger)
    "done"
}, interrupt = function(e) conditionMessage(e))
cat(ended, "\\n")
print(hedgerow_ledger_entries(ledger)[c("epsilon", "state")])
ended <- tryCatch(hedgerow_plan(100), error = identity)
cat(class(ended), "\\n")
'''
WORKED = 2.0  # seconds of processor time after which the fit has long begun: what comes before it takes a tenth of one
PATIENCE = 900  # seconds: a fit that goes on takes hours


def processor_seconds(process):
    with open('/proc/%d/stat' % process.pid, encoding='ascii') as f:
        fields = f.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main():
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(['Rscript', '-e', PROGRAM], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True) as process:
            first = process.stdout.readline()
            begun = processor_seconds(process)
            while process.poll() is None and processor_seconds(process) < begun + WORKED:
                pass
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=PATIENCE)[0]
    told = first + rest
    wanted = ['begun', 'stopped; a ledger keeps what was reserved', '2 reserved', 'hedgerow_plan']
    absent = [text for text in wanted if text not in told]
    if process.returncode or absent:
        sys.exit('interrupt.py: ended with %d, and without %s:\n%s' % (process.returncode, absent, told))
    print('interrupt: the fit was stopped')


main()
