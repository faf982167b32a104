#!/usr/bin/env python3
"""Plays every game of tests/games.toml twice: in a copy of the project, and in that copy with a fault planted, the game's twin.
usage: games.py [--check] [--table FILE] [NAME...]
A game must find no more than is claimed, and more than that in its twin: so its power is known. The exit code is 1 otherwise. Results are
kept in build-games; a run that was interrupted goes on where it was, unless a file of the project has changed since. --check only reads the
lists. --table puts the results into FILE. NAMEs: the games of these tests alone."""
import argparse
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import tomllib

import mutate

LIST = os.path.join(mutate.ROOT, 'tests', 'games.toml')
BUILD = os.path.join(mutate.ROOT, 'build-games')
RESULTS = os.path.join(BUILD, 'results.json')
TABLE = ('<!-- games: written by tools/games.py -->', '<!-- end of games -->')
LINE = re.compile(r'(.+?) +claimed ([\d.]+)  at least (-?[\d.]+)  of (\d+) runs(.*)')

Game = collections.namedtuple('Game', 'test games trains twin')
Line = collections.namedtuple('Line', 'name claimed bound runs')


# ---- The list ------------------------------------------------------------------------------------------------------------

def read_games():
    with open(LIST, 'rb') as f:
        return [Game(**g) for g in tomllib.load(f)['game']]


def check_games(games, faults):
    problems = ['%s %s: there is no fault %s' % (g.test, g.games, g.twin) for g in games if g.twin not in faults]
    keys = collections.Counter((g.test, g.games) for g in games)
    return problems + ['%s %s: it is listed twice' % key for key, count in keys.items() if count > 1]


# ---- Playing -------------------------------------------------------------------------------------------------------------

class Tests:
    """The tests of a copy: how Meson builds and starts them."""

    def __init__(self, copy):
        self.copy = copy
        copy.set_up()
        out = subprocess.run(['meson', 'introspect', '--tests', copy.build], check=True, capture_output=True, text=True).stdout
        self.known = {t['name']: t for t in json.loads(out)}

    def targets(self, test):
        words = [os.path.normpath(os.path.join(self.copy.build, word)) for word in self.known[test]['cmd'] if os.sep in word]
        return [os.path.relpath(word, self.copy.build) for word in words if word.startswith(self.copy.build + os.sep)]

    def play(self, game):
        """The lines that the game says, and how many seconds it took."""
        targets = self.targets(game.test)
        subprocess.run(['ninja', '-C', self.copy.build, *targets], check=True, stdout=subprocess.DEVNULL)
        start = time.monotonic()
        done = subprocess.run(self.known[game.test]['cmd'], cwd=self.copy.build, env=dict(os.environ, HR_GAMES=game.games),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        found = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
        lines = [Line(m[1], float(m[2]), float(m[3]), int(m[4])) for m in found if m and 'caught' not in m[5]]
        if not lines:
            raise RuntimeError('%s %s said nothing:\n%s' % (game.test, game.games, done.stdout[-2000:]))
        return lines, time.monotonic() - start


def play_twice(tests, contents, game, fault):
    sound, seconds = tests.play(game)
    original = contents[fault.file]
    tests.copy.write(fault.file, original.replace(fault.old.encode(), fault.new.encode()))
    try:
        twin, more = tests.play(game)
    finally:
        tests.copy.write(fault.file, original)
    return {'sound': sound, 'twin': twin, 'seconds': round(seconds + more)}


def judge(game, result):
    """What is wrong: a game that found something, or one that did not find its twin in any of its lines."""
    sound, twin = ([Line(*line) for line in result[side]] for side in ('sound', 'twin'))
    problems = ['%s: at least %.3f, claimed %.3f' % (line.name, line.bound, line.claimed) for line in sound if line.bound > line.claimed]
    if len(sound) != len(twin):
        return problems + ['%s %s: the twin plays other games' % (game.test, game.games)]
    return problems + ['%s: it does not find %s: at least %.3f, claimed %.3f' % (line.name, game.twin, line.bound, line.claimed)
                       for line in twin if line.bound <= line.claimed]


# ---- Results -------------------------------------------------------------------------------------------------------------

def identity(game, fault):
    return hashlib.sha256(json.dumps([game, fault]).encode()).hexdigest()


def hash_of_games(contents):
    """Of all that games are built from and started by; not of the list, so that a game more leaves the results of the others."""
    return mutate.hash_project({path: content for path, content in contents.items()
                                if path.startswith(('include', 'src', 'tests', 'meson')) and path != os.path.relpath(LIST, mutate.ROOT)})


def load_results(tree):
    try:
        with open(RESULTS, encoding='utf-8') as f:
            kept = json.load(f)
    except FileNotFoundError:
        return {}
    return kept['games'] if kept['tree'] == tree else {}


def save_results(tree, results):
    with open(RESULTS + '.new', 'w', encoding='utf-8') as f:
        json.dump({'tree': tree, 'games': results}, f, indent=1)
    os.replace(RESULTS + '.new', RESULTS)


def play_all(games, faults):
    """identity -> result."""
    contents = mutate.read_project()
    tree = hash_of_games(contents)
    results, tests = load_results(tree), None
    for number, game in enumerate(games, 1):
        key = identity(game, faults[game.twin])
        if key in results:
            continue
        if not tests:
            tests = Tests(mutate.Copy(1, contents))
        results[key] = play_twice(tests, contents, game, faults[game.twin])
        save_results(tree, results)
        print('[%d/%d] %s %s, twin %s (%d s)' % (number, len(games), game.test, game.games, game.twin, results[key]['seconds']), flush=True)
        for sound, twin in zip(results[key]['sound'], results[key]['twin']):
            print('    %-44s claimed %.3f  at least %.3f, of the twin %.3f' % (sound[0], sound[1], sound[2], twin[2]), flush=True)
    return results


def table(games, faults, results):
    lines = ['| game | what is trained | runs a side | claimed | found | fault of the twin | found in it | seconds |', '|---|---|---|---|---|---|---|---|']
    for game in games:
        result = results[identity(game, faults[game.twin])]
        for i, (sound, twin) in enumerate(zip(result['sound'], result['twin'])):
            first = not i
            lines.append('| %s | %s | %d | %g | %.3f | %s | %.3f | %s |' %
                         (sound[0], game.trains if first else '', sound[3], sound[1], sound[2], game.twin if first else '', twin[2],
                          result['seconds'] if first else ''))
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--table', metavar='FILE')
    parser.add_argument('names', nargs='*', metavar='NAME')
    args = parser.parse_args()
    faults = {f.name: f for f in mutate.read_faults()}
    every = read_games()
    problems = check_games(every, faults)
    if args.check or problems:
        sys.exit('\n'.join(problems) if problems else 0)
    games = [g for g in every if not args.names or g.test in args.names]
    mutate.BUILD = BUILD
    os.makedirs(BUILD, exist_ok=True)
    results = play_all(games, faults)
    if args.table:
        mutate.put_table(args.table, table(games, faults, results), TABLE)
    problems = [problem for game in games for problem in judge(game, results[identity(game, faults[game.twin])])]
    played = sum(len(results[identity(game, faults[game.twin])]['sound']) for game in games)
    print('%d games, each with its twin' % played)
    sys.exit('\n'.join(problems) if problems else 0)


if __name__ == '__main__':
    main()
