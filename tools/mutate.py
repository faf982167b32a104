#!/usr/bin/env python3
"""Plants faults against privacy in copies of the project, one at a time, and runs the tests that should see each.
usage: mutate.py [--check] [--compile BUILD] [--table FILE [--missing]] [--jobs N] [NAME...]
A fault is one replacement of text in one file: tests/mutations/README.md describes the lists. It is caught if one of its tests fails.
Results are kept in build-mutate; a run that was interrupted goes on where it was, unless a file of the project has changed since.
The exit code is 1 if a fault survived. --check only reads the lists. --compile says which faults the compiler sees, with the commands of a
build directory: such a fault proves nothing about the tests. --table puts the results into FILE, whose rows of other faults stay while they are
right. --missing: only faults of which FILE has no such row. --jobs N: so many copies at once. NAMEs: these faults alone."""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import queue
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = os.path.join(ROOT, 'tests', 'mutations')
BUILD = os.path.join(ROOT, 'build-mutate')
RESULTS = os.path.join(BUILD, 'results.json')
COPIED = ('include', 'src', 'cli', 'tests', 'fuzz', 'bench', 'proofs', 'examples', 'man', 'tools', 'docs', 'packaging', 'README.md', 'CHANGELOG.md', 'meson.build',
          'meson_options.txt', 'python')
PYTHON = os.environ.get('HEDGEROW_PYTHON', os.path.join(ROOT, 'build-python', 'venv', 'bin', 'python')) # has the package: tools/python.sh
TABLE = ('<!-- faults: written by tools/mutate.py -->', '<!-- end of faults -->')
NOT_BUILT = 125 # what "meson test" says when a test could not be built
PATIENCE = 3600 # seconds that meson.build gives every test

Fault = collections.namedtuple('Fault', 'name what file old new tests')


# ---- The lists -----------------------------------------------------------------------------------------------------------

def read_faults():
    faults = []
    for path in sorted(glob.glob(os.path.join(LISTS, '*.toml'))):
        area = os.path.basename(path)[:-len('.toml')]
        with open(path, 'rb') as f:
            faults += [Fault(area + '/' + f['name'], f['what'], f['file'], f['old'], f['new'], f['tests']) for f in tomllib.load(f)['fault']]
    return faults


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def listed_tests():
    """Names that stand in the lists of tests; those of the tool and of fuzzers get a prefix."""
    lists = glob.glob(os.path.join(ROOT, 'tests', '**', 'meson.build'), recursive=True)
    names = {name for path in lists for name in re.findall(r"'([\w.+-]+)'", read(path))}
    return names | {prefix + name for prefix in ('cli_', 'fuzz_') for name in names}


def check_lists(faults):
    """What is wrong with the lists themselves, line by line."""
    known = listed_tests()
    problems = ['%s: there are two faults of this name' % name
                for name, count in collections.Counter(f.name for f in faults).items() if count > 1]
    for fault in faults:
        path = os.path.join(ROOT, fault.file)
        found = read(path).count(fault.old) if os.path.isfile(path) else 0
        if found != 1:
            problems.append('%s: its text must stand once in %s and stands there %d times; read the code and write the fault anew' %
                            (fault.name, fault.file, found))
        if fault.old == fault.new:
            problems.append('%s: it changes nothing' % fault.name)
        if not fault.tests:
            problems.append('%s: no test should see it' % fault.name)
        problems += ['%s: there is no test %s' % (fault.name, t) for t in fault.tests if not is_python(t) and t not in known]
    return problems


# ---- Whether faults compile ----------------------------------------------------------------------------------------------

def compilers(build):
    """Source -> its command, which only checks it."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as f:
        entries = json.load(f)
    found = {}
    for entry in entries:
        words = shlex.split(entry['command'])
        keep = [w for w in words[:words.index('-o')] if w not in ('-MD', '-MQ', '-MF') and not w.endswith(('.o', '.o.d'))]
        source = os.path.relpath(os.path.join(entry['directory'], entry['file']), ROOT)
        found.setdefault(source, keep + ['-w', '-fsyntax-only', '-x', 'c'])
    return found


def includers(path, contents):
    """The files that include one, directly or not."""
    found, todo = set(), [path]
    while todo:
        include = '#include "%s"' % todo.pop().split('/', 1)[1]
        for other, text in contents.items():
            if other not in found and include in text:
                found.add(other)
                todo.append(other)
    return found


def compile_fault(fault, found, contents, build):
    """What the compiler sees of a fault; None: nothing, or the build is without the file."""
    changed = read(os.path.join(ROOT, fault.file)).replace(fault.old, fault.new)
    if fault.file.endswith('.c'):
        if fault.file not in found:
            return None
        done = subprocess.run(found[fault.file] + ['-'], cwd=build, input=changed, capture_output=True, text=True)
    else:
        source = next((s for s in sorted(includers(fault.file, contents)) if s in found), None)
        if source is None:
            return '%s: no source of this build includes %s' % (fault.name, fault.file)
        with tempfile.TemporaryDirectory() as folder:
            where = os.path.join(folder, fault.file.split('/', 1)[1])
            os.makedirs(os.path.dirname(where))
            with open(where, 'w', encoding='utf-8') as f:
                f.write(changed)
            first = next(i for i, word in enumerate(found[source]) if word.startswith('-I'))
            command = found[source][:first] + ['-I' + folder] + found[source][first:]
            done = subprocess.run(command + ['-'], cwd=build, input=contents[source], capture_output=True, text=True)
    return '%s: it does not compile\n%s' % (fault.name, done.stderr[-1000:]) if done.returncode else None


def compile_faults(faults, build):
    found = compilers(build)
    contents = {path: read(os.path.join(ROOT, path)) for path in project_files()
                if path.startswith(('src/', 'tests/', 'cli/')) and path.endswith(('.c', '.h'))}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        compiled = [f for f in faults if f.file.endswith(('.c', '.h'))]
        return [problem for problem in pool.map(lambda f: compile_fault(f, found, contents, build), compiled) if problem]


# ---- Copies of the project -----------------------------------------------------------------------------------------------

def project_files():
    for place in COPIED:
        full = os.path.join(ROOT, place)
        if os.path.isfile(full):
            yield place
        for folder, _, names in os.walk(full):
            if not folder.endswith('__pycache__'):
                yield from (os.path.relpath(os.path.join(folder, name), ROOT) for name in names)


def read_project():
    """path -> bytes, without the lists of faults: adding one leaves the results of the others."""
    contents = {}
    for path in project_files():
        if not path.startswith(os.path.join('tests', 'mutations')) and path != os.path.join('docs', 'explanation', 'audit.md'):
            with open(os.path.join(ROOT, path), 'rb') as f:
                contents[path] = f.read()
    return contents


def hash_project(contents):
    digest = hashlib.sha256()
    for path in sorted(contents):
        digest.update(path.encode() + b'\0' + hashlib.sha256(contents[path]).digest())
    return digest.hexdigest()


def is_python(test):
    """Tests of the package are named as pytest names them: python/tests/test_NAME.py::test."""
    return test.startswith('python/')


class Copy:
    """A copy of the project with a build directory of its own."""

    def __init__(self, number, contents):
        self.tree = os.path.join(BUILD, 'copy-%d' % number)
        self.build = os.path.join(self.tree, 'build')
        for path, content in contents.items():
            self.write(path, content, os.stat(os.path.join(ROOT, path)).st_mode)

    def set_up(self):
        """Tests of the package do without a build of their own."""
        made = os.path.exists(os.path.join(self.build, 'build.ninja'))
        command = ['ninja', '-C', self.build, 'build.ninja'] if made else ['meson', 'setup', self.build, '-Dtests=true']
        subprocess.run(command, cwd=self.tree, check=True, stdout=subprocess.DEVNULL)

    def write(self, path, content, mode=0o644):
        """Leaves a file alone that is right already, so that it is not compiled again."""
        full = os.path.join(self.tree, path)
        if os.path.exists(full):
            with open(full, 'rb') as f:
                if f.read() == content:
                    return
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'wb') as f:
            f.write(content)
        os.chmod(full, mode)

    def known_tests(self):
        """name -> suites."""
        self.set_up()
        out = subprocess.run(['meson', 'introspect', '--tests', self.build], check=True, capture_output=True, text=True).stdout
        return {t['name']: [s.split(':')[-1] for s in t['suite']] for t in json.loads(out)}

    def run(self, tests, limit):
        """What the tests' log says: name -> (failed, seconds). A test that does not end fails after `limit` times PATIENCE."""
        self.set_up()
        done = subprocess.run(['meson', 'test', '-C', self.build, '--timeout-multiplier', str(limit), *tests], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode == NOT_BUILT:
            raise RuntimeError('it does not compile: a fault that the compiler sees proves nothing about the tests\n' + done.stdout[-2000:])
        with open(os.path.join(self.build, 'meson-logs', 'testlog.json'), encoding='utf-8') as f:
            results = [json.loads(line) for line in f]
        return {r['name'].split(' / ')[-1]: (r['result'] not in ('OK', 'EXPECTEDFAIL', 'SKIP'), r['duration']) for r in results}

    def first_to_fail(self, tests, limits):
        return next((test for test in tests if (self.run_python(test) if is_python(test) else self.run([test], limits[test])[test][0])), None)

    def run_python(self, *tests):
        """Whether one of these tests of the package fails: the copy's modules, and the library of the installed package. A test that is not there
        says nothing."""
        where = 'import hedgerow._hedgerow as h; print(h.__file__)'
        library = subprocess.run([PYTHON, '-c', where], check=True, capture_output=True, text=True, cwd=BUILD).stdout.strip()
        site, python = os.path.dirname(os.path.dirname(library)), os.path.join(self.tree, 'python')
        for path in (library, os.path.join(site, 'hedgerow.libs')):  # where the library looks for those that it needs
            link = os.path.join(python, os.path.relpath(path, site))
            if not os.path.lexists(link):
                os.symlink(path, link)
        folder = os.environ | {'PYTHONPATH': python, 'PYTHONDONTWRITEBYTECODE': '1'}
        command = [PYTHON, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', *tests]
        try:
            done = subprocess.run(command, cwd=self.tree, env=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode not in (0, 1):
            raise RuntimeError('%s does not run\n%s' % (', '.join(tests), done.stdout[-2000:]))
        return done.returncode == 1


# ---- The run -------------------------------------------------------------------------------------------------------------

def load_results(tree):
    try:
        with open(RESULTS, encoding='utf-8') as f:
            kept = json.load(f)
    except FileNotFoundError:
        return {}
    return kept['faults'] if kept['tree'] == tree else {}


def save_results(tree, results):
    with open(RESULTS + '.new', 'w', encoding='utf-8') as f:
        json.dump({'tree': tree, 'faults': results}, f, indent=1)
    os.replace(RESULTS + '.new', RESULTS)


def identity(fault):
    return hashlib.sha256(json.dumps(fault).encode()).hexdigest()


def try_fault(copy, contents, fault, limits):
    """The test that failed; None: the fault survived."""
    original = contents[fault.file]
    copy.write(fault.file, original.replace(fault.old.encode(), fault.new.encode()))
    try:
        return copy.first_to_fail(fault.tests, limits)
    finally:
        copy.write(fault.file, original)


def check_tests(copy, faults):
    """Tests of Meson and of the package: what is wrong, and the limits of the former."""
    python = sorted({test for fault in faults for test in fault.tests if is_python(test)})
    problems = ['a test of %s fails without a fault' % ', '.join(python)] if python and copy.run_python(*python) else []
    return (problems, {}) if problems else check_meson_tests(copy, faults)


def check_meson_tests(copy, faults):
    """All that is named must exist, say something about behaviour, and succeed without a fault. Returns what is wrong, and how many
    long each test may take, in times of PATIENCE."""
    named = sorted({test for fault in faults for test in fault.tests if not is_python(test)})
    known = copy.known_tests() if named else {}
    problems = ['there is no test %s' % t for t in named if t not in known]
    problems += ['%s compares files, not behaviour' % t for t in named if 'hygiene' in known.get(t, [])]
    if problems:
        return problems, {}
    done = copy.run(named, 1) if named else {}
    return ['%s fails without a fault' % t for t in named if done[t][0]], {t: (100 + 20 * done[t][1]) / PATIENCE for t in named}


class Run:
    def __init__(self, faults, contents, jobs):
        self.contents, self.tree, self.jobs = contents, hash_project(contents), jobs
        self.kept = load_results(self.tree)
        self.todo = [f for f in faults if self.kept.get(f.name, {}).get('fault') != identity(f)]
        self.total, self.lock, self.copies = len(faults), threading.Lock(), queue.Queue()

    def note(self, fault, caught, seconds):
        with self.lock:
            self.kept[fault.name] = {'fault': identity(fault), 'caught': caught, 'seconds': round(seconds, 1)}
            save_results(self.tree, self.kept)
            self.done += 1
            print('[%d/%d] %-44s %s (%.0f s)' % (self.done, self.total, fault.name, 'caught by ' + caught if caught else 'SURVIVED', seconds),
                  flush=True)

    def one(self, fault):
        copy, start = self.copies.get(), time.monotonic()
        try:
            self.note(fault, try_fault(copy, self.contents, fault, self.limits), time.monotonic() - start)
            return None
        except RuntimeError as error:
            return '%s: %s' % (fault.name, error)
        finally:
            self.copies.put(copy)

    def all(self):
        """What went wrong."""
        self.done = self.total - len(self.todo)
        if not self.todo:
            return []
        first = Copy(1, self.contents)
        problems, self.limits = check_tests(first, self.todo)
        if problems:
            return problems
        workers = min(self.jobs, len(self.todo))
        for copy in [first] + [Copy(n, self.contents) for n in range(2, workers + 1)]:
            self.copies.put(copy)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return [problem for problem in pool.map(self.one, self.todo) if problem]


def beginning(fault):
    """Of a row: what of it the lists decide."""
    return '| %s | %s | %s |' % (fault.name, fault.what, fault.file)


def rows_of(path):
    """The beginning of a row of the table -> the row."""
    rows = read(path).split(TABLE[0])[1].split(TABLE[1])[0].splitlines()
    return {row[:row.rindex('|', 0, -1) + 1]: row for row in rows if row.startswith('| ')}


def table(faults, results, earlier):
    """A row for each fault that was tried, now or earlier."""
    lines = ['| fault | what is wrong | file | caught by |', '|---|---|---|---|']
    for fault in faults:
        if fault.name in results:
            caught = results[fault.name]['caught']
            lines.append('%s %s |' % (beginning(fault), '`%s`' % caught if caught else '**nothing**'))
        elif beginning(fault) in earlier:
            lines.append(earlier[beginning(fault)])
    return '\n'.join(lines)


def put_table(path, text, marks=TABLE):
    page = read(path)
    before, rest = page.split(marks[0])
    with open(path, 'w', encoding='utf-8') as f:
        f.write(before + marks[0] + '\n' + text + '\n' + marks[1] + rest.split(marks[1])[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--compile', metavar='BUILD')
    parser.add_argument('--table', metavar='FILE')
    parser.add_argument('--missing', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, metavar='N')
    parser.add_argument('names', nargs='*', metavar='NAME')
    args = parser.parse_args()
    if args.missing and not args.table:
        parser.error('--missing is about a table: name its file with --table')
    every = read_faults()
    problems = check_lists(every) + ['there is no fault %s' % n for n in args.names if n not in {f.name for f in every}]
    earlier = rows_of(args.table) if args.table else {}
    faults = [f for f in every if (not args.names or f.name in args.names) and not (args.missing and beginning(f) in earlier)]
    if args.compile and not problems:
        problems = compile_faults(faults, args.compile)
    if args.check or args.compile or problems:
        sys.exit('\n'.join(problems) if problems else 0)
    os.makedirs(BUILD, exist_ok=True)
    run = Run(faults, read_project(), max(args.jobs, 1))
    problems = run.all()
    tried = {f.name: run.kept[f.name] for f in faults if run.kept.get(f.name, {}).get('fault') == identity(f)}
    survived = [name for name, result in tried.items() if not result['caught']]
    if args.table:
        put_table(args.table, table(every, tried, earlier))
    if problems:
        sys.exit('\n'.join(problems))
    print('%d faults, %d caught, %d survived' % (len(faults), len(faults) - len(survived), len(survived)))
    sys.exit('survived: ' + ', '.join(survived) if survived else 0)


if __name__ == '__main__':
    main()
