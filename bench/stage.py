"""What the rehearsals share (rehearse.py): a folder with made-up sets, where scripts run, and what they find in tables."""
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys

from pages import between, load, load_shown, markdown, part_of, read, rows_of, write

HERE = os.path.dirname(os.path.abspath(__file__))


def expect(holds, what):
    if not holds:
        sys.exit('rehearse.py %s: %s' % (sys.argv[1], what))


def has(module):
    return importlib.util.find_spec(module) is not None


def mean(cell):
    """The number of a cell that may also have a deviation."""
    return float(cell.split('±')[0])


def means(text, first):
    """The numbers of the one row that begins so."""
    found = rows_of(text, first)
    expect(len(found) == 1, 'not one row of %s:\n%s' % (first, text))
    return [mean(cell) for cell in found[0]]


def like(settings, changes, where):
    """Settings that are committed, with changes of fields that they have."""
    for key in changes:
        expect(key in settings, '%s has no %s' % (where, key))
    return {**settings, **{key: like(settings[key], value, '%s, %s' % (where, key)) if isinstance(value, dict) else value for key, value in changes.items()}}


class Stage:
    """A folder with the made-up sets, where scripts run."""

    def __init__(self, work, hedgerow, build):
        self.work, self.hedgerow, self.build = work, os.path.abspath(hedgerow), os.path.abspath(build)
        shutil.copy(os.path.join(HERE, 'made_up.py'), os.path.join(work, 'prepare.py'))

    def at(self, *names):
        return os.path.join(self.work, *names)

    def read(self, *names):
        return read(self.at(*names))

    def settings(self, name, changes, sets):
        """A file of settings that is committed (bench/NAME), with changes of fields that it has, and with made-up sets in place of its own.
        sets: where they stand -> {made-up set: (the set whose fields it has, changes of these)}. No rehearsal has settings of another kind: what
        a script reads, and the committed file has not, it finds missing here, too."""
        made = like(load(os.path.join(HERE, name)), changes, name)
        for path, of_path in sets.items():
            place = made
            for key in path:
                expect(key in place, '%s has no %s' % (name, key))
                place = place[key]
            place['sets'] = {made_up: like(place['sets'][real], values, '%s, %s' % (name, real)) for made_up, (real, values) in of_path.items()}
        write(self.at(name), json.dumps(made))
        return self.at(name)

    def seed(self):
        """All noise of fits is from one seed from now on: what is measured is the same in every run."""
        write(self.at('hedgerow'), '#!/bin/sh\n[ "$1" != train ] || set -- "$@" --unsafe-reproducible-noise --seed 1\nexec %s "$@"\n' % shlex.quote(self.hedgerow))
        os.chmod(self.at('hedgerow'), 0o700)
        self.hedgerow = self.at('hedgerow')

    def on_sets(self):
        return ['--hedgerow', self.hedgerow, '--data', self.work, '--cache', self.at('cache')]

    def tried(self, script, *arguments):
        return subprocess.run([sys.executable, os.path.join(HERE, script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, script, *arguments):
        done = self.tried(script, *arguments)
        expect(done.returncode == 0, '%s failed:\n%s%s' % (script, done.stdout, done.stderr))
        return done.stdout

    def page(self, parts, script, *arguments):
        """A page of which the script makes these parts: they are what it prints, and nothing else of the page changes."""
        blank = ''.join('before %s\n<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part, part) for part in (*parts, 'other'))
        write(self.at('page.txt'), blank)
        said = self.run(script, *arguments, '--into', self.at('page.txt'))
        text = around = self.read('page.txt')
        for part in parts:
            found = part_of(text, part)
            expect(found != 'old\n' and found.strip() and found.strip() in said, '%s: the page does not say what was printed:\n%s\n%s' % (part, found, said))
            around, blank = (between(part).sub('', page) for page in (around, blank))
        expect(around == blank, 'the page around the parts changed:\n' + text)
        return text

    def tables(self, parts, script, *arguments):
        """{part: its markdown}, of the files that the script writes: they hold what it prints."""
        os.makedirs(self.at('results'), exist_ok=True)
        said = [line for line in self.run(script, *arguments, '--into', self.at('results')).split('\n') if line]
        made = {part: '\n'.join(markdown(load_shown(self.at('results'), part))) for part in parts}
        for part, text in made.items():
            lines = [line for line in text.split('\n') if line]
            at = said.index(lines[0]) if lines[0] in said else 0
            expect(said[at:at + len(lines)] == lines, '%s.json does not hold what was printed:\n%s\n%s' % (part, text, '\n'.join(said)))
            expect(load(self.at('results', part + '.json'))['command'].startswith('bench/' + script), part + '.json does not tell what measured it')
        return made
