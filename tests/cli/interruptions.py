#!/usr/bin/env python3
"""Every command that writes a file, ended by each signal and by a limit of the size of files: no unfinished file is left, a message says what
was spent, and what tells of records is readable by its owner alone.
usage: interruptions.py HEDGEROW WAIT     WAIT: the library of wait_in_fsync.c

A command is met where it reads (its table is a FIFO, opened) and where it writes (in fsync, before its file has a name)."""
import contextlib
import os
import re
import resource
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
UNSPENT = 'interrupted; nothing was spent'
HANGUPS = 20  # tries to meet the start of serve
AT_ONCE = 'interrupted; what is reserved in the ledger stays spent'
TRAIN = 'train --data {data} --schema s.yaml --trees 1 --method '
GENERATE = ' --rows 9 --seed 1 -o o --schema o.yaml'
JOB = "hedgerow-job: 1\nschema: s.yaml\nmethod: average\ntrain: diprime\nepsilon: 1\noptions:\n  trees: 1\n"

# Of every command: the command lines that write files ('{data}': the table), with the files and whether others may read them.
WRITES = {
    'schema init': [('schema init --data {data} --label readmitted -o o', {'o': False})],
    'split': [('split --data {data} --train o --test o2 --seed 1', {'o': False, 'o2': False})],
    'bin': [('bin --data {data} --schema s.yaml -o o', {'o': False})],
    'train': [(TRAIN + 'dp-ert --epsilon 1 --model o', {'o': True}), (TRAIN + 'gbdt --model o', {'o': False}),
              (TRAIN + 'dp-ert --epsilon 1 --ledger l.db --model o', {})],
    'tune': [('tune --data {data} --schema s.yaml --method dp-ert --set trees=1 --set trees=2 --epsilon 1 --model o', {'o': True}),
             ('tune --data {data} --schema s.yaml --method dp-ert --set trees=1 --set trees=2 --epsilon 1 --ledger l.db --model o', {})],
    'predict': [('predict --model m.json --data {data} --keep age -o o', {'o': False})],
    'evaluate': [('evaluate --model m.json --data {data}', {}), ('evaluate --model m.json --data {data} --epsilon 1 --ledger l.db', {})],
    'export': [('export m.json --to xgboost --out o', {'o': True}), ('export gbdt.json --to lightgbm --out o', {'o': False})],
    'jobs fetch': [('jobs fetch desk done -o o', {'o': True})],
    'simulate': [('simulate job.yaml --data {data} --owners 2 --model o', {'o': True})],
    'generate hospital': [('generate hospital' + GENERATE, {'o': True, 'o.yaml': True}),
                          ('generate hospital --rows 9 --bins 8 -o o', {'o': False})],
    'generate classification': [('generate classification' + GENERATE, {'o': True, 'o.yaml': True})],
    'generate regression': [('generate regression' + GENERATE, {'o': True, 'o.yaml': True})],
    'generate friedman1': [('generate friedman1' + GENERATE, {'o': True, 'o.yaml': True})],
}
# Commands whose files belong together, and take no time: a signal waits until all of them are there.
WHOLE = {
    'ledger create': ('ledger create o --epsilon 1', 'o'),
    'keygen': ('keygen o', 'o'),
    'federation init': ('federation init o --name f --url tls://broker.example.org:4222 --member north --member south', 'o'),
}
# Why the others have no row.
WITHOUT = {
    'schema review': 'writes its file at the end, as one step', 'schema check': 'prints', 'show': 'prints', 'methods': 'prints', 'ledger show': 'prints', 'policy check': 'prints', 'jobs': 'prints',
    'status': 'prints', 'federation fingerprint': 'prints', 'federation show': 'prints', 'attack simfl': 'prints',
    'ledger freeze': 'changes a database in one transaction', 'ledger verify': 'prints', 'ledger restore': 'changes a database in one transaction',
    'ledger charge': 'changes a database in one transaction', 'ledger witness': 'changes a database in one transaction, then a file that it makes anew',
    'submit': 'makes a folder that gets its name when it is complete; one whose name begins with a dot may be left', 'jobs log': 'prints',
    'jobs approve': 'asks a party for it by one file', 'jobs refuse': 'asks a party for it by one file', 'jobs cancel': 'asks a party for it by one file', 'jobs reconcile': 'asks owners over a broker',
    'serve': 'keeps its journal, from which it continues', 'coordinate': 'keeps its journal, from which it continues',
    'federation add': 'changes files as federation init makes them', 'federation remove': 'changes files as federation init makes them',
    'federation rekey': 'changes files as federation init makes them', 'federation renew': 'changes files as federation init makes them',
    'federation open': 'writes to a broker', 'federation purge': 'writes to a broker',
}


class Trial:
    """One run of a command in a folder of its own."""

    def __init__(self, tool, given, line):
        self.folder = tempfile.mkdtemp()
        shutil.copytree(given, self.folder, dirs_exist_ok=True)
        self.before = set(os.listdir(self.folder))
        self.words = [tool] + line.split()
        self.environment = dict(os.environ, TMPDIR=self.folder)

    def start(self, environment={}, limit=None):
        def limits():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
        self.process = subprocess.Popen(self.words, cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limits, umask=0)

    def end(self):
        """(exit code, what was said, new files)."""
        said = self.process.communicate()[1].decode()
        left = set(os.listdir(self.folder)) - self.before
        if 'l.db' in self.words:  # a part of the database, which SQLite removes when it is closed the next time
            subprocess.run([self.words[0], 'ledger', 'show', 'l.db'], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
            left &= set(os.listdir(self.folder))
        return self.process.returncode, said, left

    def done(self):
        shutil.rmtree(self.folder)


class Checks:
    def __init__(self, tool, wait):
        self.tool, self.wait, self.problems, self.count = tool, wait, [], 0

    def expect(self, fine, what, trial, told):
        self.count += 1
        if not fine:
            self.problems.append('%s: %s: %s' % (' '.join(trial.words[1:]), what, (told,)))

    def given(self):
        """What every command may need."""
        folder = tempfile.mkdtemp()
        for words in ('generate hospital --rows 60 --seed 1 -o t.csv --schema s.yaml', 'ledger create l.db --epsilon 9',
                      'train --data t.csv --schema s.yaml --method dp-ert --trees 1 --epsilon 1 --model m.json --quiet',
                      'train --data t.csv --schema s.yaml --method gbdt --trees 1 --model gbdt.json --quiet'):
            subprocess.run([self.tool] + words.split(), cwd=folder, check=True)
        with open(os.path.join(folder, 'job.yaml'), 'w') as file:
            file.write(JOB)
        job = os.path.join(folder, 'desk', 'jobs', 'done')
        os.makedirs(job)
        for name, source in (('job.yaml', 'job.yaml'), ('schema.yaml', 's.yaml'), ('model.json', 'm.json')):
            shutil.copy(os.path.join(folder, source), os.path.join(job, name))
        for name, text in (('started', '%032x\n' % 1), ('ended', 'done\n')):
            with open(os.path.join(job, name), 'w') as file:
                file.write(text)
        return folder

    def modes(self, given, line, files):
        trial = Trial(self.tool, given, line.format(data='t.csv'))
        trial.start()
        told = trial.end()
        self.expect(told[0] == 0 and told[2] == set(files), 'undisturbed', trial, told)
        for name, is_public in files.items():
            path = os.path.join(trial.folder, name)
            mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None
            self.expect(mode == (0o666 if is_public else 0o600), 'mode of ' + name, trial, mode)
        trial.done()

    def reading(self, given, line, number):
        trial = Trial(self.tool, given, line.format(data='fifo'))
        os.mkfifo(os.path.join(trial.folder, 'fifo'))
        trial.before.add('fifo')
        trial.start()
        with open(os.path.join(trial.folder, 'fifo'), 'w') as data:  # until the command opens it
            data.write('age,')
            data.flush()
            trial.process.send_signal(number)
            if 'simulate' in line:
                data.close()  # it looks up between two steps of its work
            told = trial.end()
        self.expect(told[0] == 128 + number or 'simulate' in line and told[0] == 1, 'exit code, reading', trial, told)
        self.expect(UNSPENT in told[1] or 'simulate' in line, 'message, reading', trial, told)
        self.expect(not told[2], 'files left, reading', trial, told)
        trial.done()

    def meet_writing(self, trial, numbers):
        """What becomes of a command that gets these signals in its first fsync, and may then go on."""
        reached, go = (os.path.join(trial.folder, name) for name in ('reached', 'go'))
        os.mkfifo(reached)
        os.mkfifo(go)
        trial.before |= {'reached', 'go'}
        trial.start({'LD_PRELOAD': self.wait, 'FSYNC_REACHED': reached, 'FSYNC_GO': go, 'ASAN_OPTIONS': 'verify_asan_link_order=0'})
        on = os.open(go, os.O_RDWR)
        met, life = os.open(reached, os.O_RDWR), os.pidfd_open(trial.process.pid)
        select.select([met, life], [], [])  # or it ends before
        there = set(os.listdir(trial.folder)) - trial.before
        for number in numbers:
            trial.process.send_signal(number)
        os.write(on, b'.')
        told = trial.end()
        for descriptor in (on, met, life):
            os.close(descriptor)
        self.expect(there, 'not met with a file', trial, told)
        return told

    def writing(self, given, line, files, number):
        trial = Trial(self.tool, given, line.format(data='t.csv'))
        is_late = line.split()[0] in ('train', 'tune', 'simulate')  # the model is made: it is written, and a second signal ends the command
        numbers = [number]
        told = self.meet_writing(trial, numbers)
        if is_late:
            self.expect(told[0] == 0 and told[2] == set(files), 'a first signal, writing', trial, told)
            trial.done()
            trial = Trial(self.tool, given, line.format(data='t.csv'))
            numbers += [SIGNALS[SIGNALS.index(number) - 1]]  # two of the same kind would be one
            told = self.meet_writing(trial, numbers)
        self.expect(told[0] - 128 in numbers, 'exit code, writing', trial, told)
        self.expect((AT_ONCE if is_late else UNSPENT) in told[1], 'message, writing', trial, told)
        self.expect(not told[2] or told[2] == {'o.yaml'} and 'generate' in line, 'files left, writing', trial, told)
        trial.done()

    def limited(self, given, line, limit):
        trial = Trial(self.tool, given, line.format(data='t.csv'))
        trial.start(limit=limit)
        told = trial.end()
        self.expect(told[0] == 1, 'exit code, limited', trial, told)
        self.expect(re.search(r'^hedgerow [a-z0-9 ]+: .*o(\.yaml)?\b.*: .+; .+', told[1], re.M), 'message, limited', trial, told)
        self.expect(not told[2], 'files left, limited', trial, told)
        trial.done()

    def whole(self, given, line, name, number):
        trial = Trial(self.tool, given, line)
        told = self.meet_writing(trial, [number])
        self.expect(told[0] == 128 + number and UNSPENT in told[1], 'exit code and message', trial, told)
        self.expect(told[2] == {name}, 'files', trial, told)
        again = Trial(self.tool, given, line)
        again.start()
        again.end()
        self.expect(self.below(trial, name) == self.below(again, name), 'half of the files', trial, self.below(trial, name))
        trial.done()
        again.done()

    def reloading(self, given):
        """SIGHUP as soon as the process handles it does not end a command that reads its files anew for it: it goes on to read them."""
        trial = Trial(self.tool, given, 'serve fifo')
        os.mkfifo(os.path.join(trial.folder, 'fifo'))
        trial.before.add('fifo')
        trial.start()
        status = '/proc/%d/status' % trial.process.pid
        while trial.process.poll() is None:
            with open(status) as file:
                if int(re.search(r'^SigCgt:\s*([0-9a-f]+)', file.read(), re.M).group(1), 16) & 1 << signal.SIGHUP - 1:
                    break
        trial.process.send_signal(signal.SIGHUP)
        while trial.process.poll() is None:
            with contextlib.suppress(OSError):  # until it opens the file
                owner = os.open(os.path.join(trial.folder, 'fifo'), os.O_WRONLY | os.O_NONBLOCK)
                os.write(owner, b'no owner file')
                os.close(owner)
                break
        told = trial.end()
        self.expect(told[0] == 1 and 'fifo:1:1: ' in told[1], 'SIGHUP at the start', trial, told)
        trial.done()

    @staticmethod
    def below(trial, name):
        top = os.path.join(trial.folder, name)
        return {os.path.relpath(os.path.join(at, file), top) for at, _, files in os.walk(top) for file in files}

    def commands(self):
        """Every command of the tool, and no other, has its row."""
        listing = subprocess.run([self.tool, '--help'], check=True, stdout=subprocess.PIPE).stdout.decode()
        names = set(re.findall(r'^  ([a-z][a-z0-9 ]*?)  ', listing.split('\n  help ')[0], re.M))
        rows = set(WRITES) | set(WHOLE) | set(WITHOUT)
        self.count += 1
        # A build without federations has fewer.
        self.problems += ['no row for: hedgerow ' + name for name in sorted(names - rows)]
        return names


def main():
    tool, wait = (os.path.abspath(path) for path in sys.argv[1:3])
    os.umask(0o022)
    checks = Checks(tool, wait)
    names = checks.commands()
    given = checks.given()
    for command, lines in WRITES.items():
        for line, files in lines if command in names else ():
            if files:
                checks.modes(given, line, files)
                checks.limited(given, line, 16)
            for number in SIGNALS:
                if '{data}' in line:
                    checks.reading(given, line, number)
                if files:
                    checks.writing(given, line, files, number)
    for command, (line, name) in WHOLE.items():
        for number in SIGNALS if command in names else ():
            checks.whole(given, line, name, number)
        if command in names:
            checks.limited(given, line, 16)
    for _ in range(HANGUPS if 'serve' in names else 0):
        checks.reloading(given)
    shutil.rmtree(given)
    print('\n'.join(checks.problems) or '%d checks of interrupted commands' % checks.count)
    sys.exit(1 if checks.problems else 0)


main()
