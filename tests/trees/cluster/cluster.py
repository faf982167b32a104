"""Ranks on this machine, started by mpirun: what the tests of this folder share. Everything happens in a folder of its own."""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SECONDS = 120  # to wait for anything before giving up

# More ranks than processors, also as root, each where there is room; messages of mpirun itself left out.
LAUNCH = ['mpirun', '--quiet', '--allow-run-as-root', '--oversubscribe', '--bind-to', 'none']
# Ranks of one machine talk through its memory, and leave the processors to others while they wait.
ENVIRONMENT = {'OMPI_MCA_mpi_yield_when_idle': '1', 'OMPI_MCA_btl': 'self,vader', 'OMPI_MCA_btl_vader_single_copy_mechanism': 'none', 'OMP_NUM_THREADS': '1',
               'OMPI_MCA_plm_rsh_agent': 'false'}
REPRODUCIBLE = ['--unsafe-reproducible-noise', '--seed', '5', '--quiet']


class Cluster:
    def __init__(self, tool, folder, sessions):
        self.tool, self.folder, self.sessions = tool, folder, sessions
        # MPI leaves memory behind, which is no leak of Hedgerow.
        sanitizer = ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'detect_leaks=0']))
        self.environment = dict(os.environ, ASAN_OPTIONS=sanitizer, **ENVIRONMENT)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def run(self, *words):
        """A command of this process alone."""
        return subprocess.run([self.tool, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)

    def must(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def command(self, ranks, *words):
        return [*LAUNCH, '-n', str(ranks), self.tool, *words]

    def start(self, command):
        # Launchers beside each other would remove each other's folder of sessions.
        environment = dict(self.environment, TMPDIR=tempfile.mkdtemp(dir=self.sessions))
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def launch(self, command):
        """(exit code, standard output, standard error)"""
        process = self.start(command)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, out, err

    def train(self, ranks, *words):
        return self.launch(self.command(ranks, 'train', *words))

    def split(self, name, count):
        """Several files with the records of one, in its order, of unequal lengths; the names of the files."""
        lines = self.read(name).splitlines(keepends=True)
        rows, names, begin = lines[1:], [], 0
        for part in range(count):
            end = len(rows) if part + 1 == count else begin + (part + 1) * len(rows) // (count * count)
            names.append('part%d-%s' % (part, name))
            with open(self.path(names[-1]), 'wb') as file:
                file.writelines([lines[0], *rows[begin:end]])
            begin = end
        return names


def all_of(calls):
    """Makes calls of nothing beside each other: a launcher whose rank failed takes a second or two to end, and needs no processor for it."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        for done in [pool.submit(call) for call in calls]:
            done.result()


def main(test, launcher='mpirun'):
    """Runs test(cluster, words of the command line after the tool) in a folder of its own; skipped where nothing starts ranks."""
    if launcher and not shutil.which(launcher):
        print('mpirun is not installed (openmpi-bin)')
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sessions:
        test(Cluster(os.path.abspath(sys.argv[1]), folder, sessions), sys.argv[2:])
