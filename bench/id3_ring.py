#!/usr/bin/env python3
"""The ring of the poster that id3 is from (Kaghazgaran and Takabi), beside the pairwise masks of "method: id3" over owners: what both send
by the number of owners, and what the two neighbours of an owner read on the ring with the adder (the poster's computing party).

The ring is run here, message by message, on the same sums of counts as a real job of bench_id3 asks for: an owner splits its counts, to
which it adds its part of the noise, into two shares that add up modulo 2^64; one goes to the adder, the other to the next owner, who adds
its own and passes the sum on; the last one passes it to the adder. The parts of all owners make up one Laplace variable.

usage: id3_ring.py [--help]"""
import argparse
import json
import os
import random
import subprocess
import tempfile

import pages

MODULUS, UNIT = 1 << 64, 1 << 20  # shares count in units of 2^-20, so that noise need not be whole
VALUE, FRAME = 8, 72              # bytes of a count, and around a message beside its seal
ADDER = -1


def part_of_noise(draw, owners, scale):
    """A difference of two gamma variables: those of all owners add up to one Laplace variable."""
    return draw.gammavariate(1 / owners, scale) - draw.gammavariate(1 / owners, scale) if scale else 0


def run_ring(draw, counts, scale):
    """counts[owner]: a list. Returns what was sent, [(from, to, numbers)] in order."""
    owners, sent, passed = len(counts), [], [0] * len(counts[0])
    for i, own in enumerate(counts):
        noisy = [round(UNIT * (count + part_of_noise(draw, owners, scale))) for count in own]
        share = [draw.randrange(MODULUS) for _ in own]
        sent.append((i, ADDER, share))
        passed = [(p + n - s) % MODULUS for p, n, s in zip(passed, noisy, share)]
        sent.append((i, i + 1 if i + 1 < owners else ADDER, passed))
    return sent


def signed(number):
    return ((number + MODULUS // 2) % MODULUS - MODULUS // 2) / UNIT


def told(sent):
    """What the adder makes of the messages to it: the noisy totals."""
    return [signed(sum(numbers)) for numbers in zip(*(numbers for _, to, numbers in sent if to == ADDER))]


def read_by_neighbours(sent, owner):
    """The counts of an owner amid the ring and its own part of the noise, from what its two neighbours and the adder saw."""
    seen = {(source, to): numbers for source, to, numbers in sent}
    return [signed(after - before + share) for after, before, share in zip(seen[owner, owner + 1], seen[owner - 1, owner], seen[owner, ADDER])]


def cost_of_ring(sent, seal):
    """(messages, those that wait for each other, bytes)"""
    in_sequence = sum(1 for _, to, _ in sent if to != ADDER) + 1  # the last one is to the adder
    return len(sent), in_sequence, sum(VALUE * len(numbers) + seal + FRAME for _, _, numbers in sent)


# ---- Tables --------------------------------------------------------------------------------------------------------------

def job_of(args, owners):
    """Of a table of hospitals."""
    with tempfile.TemporaryDirectory() as work:
        data, schema = os.path.join(work, 'data.csv'), os.path.join(work, 'schema.yaml')
        subprocess.run([args.hedgerow, 'generate', 'hospital', '--rows', str(args.rows), '--seed', '1', '-o', data, '--schema', schema], check=True)
        runs = [json.loads(subprocess.run([os.path.join(args.build, 'bench', 'bench_id3'), schema, data, str(owners), '1', 'delta=1e-6'], check=True,
                                          stdout=subprocess.PIPE, text=True).stdout) for _ in range(args.repeat)]
    return sorted(runs, key=lambda run: run['seconds'])[len(runs) // 2]


def made_up_counts(draw, owners, values):
    return [[draw.randrange(1000) for _ in range(values)] for _ in range(owners)]


def cost_lines(args):
    draw = random.Random(1)
    yield ('%d records over all owners (`generate hospital`), epsilon 1. Of one sum: messages that carry counts, and how many of them wait for the one before; '
           'of a job: bytes of these messages, their seals included; and measured, of the real job, all that is sent, and the processor time of all '
           'parties (median of %d).' % (args.rows, args.repeat))
    yield from pages.header(['owners', 'ring, messages', 'ring, in sequence', 'pairwise, messages', 'pairwise, in sequence', 'ring, kB', 'pairwise, kB',
                             'all of the job, packets', 'all of the job, kB', 'processor, s'])
    for owners in args.owners:
        job = job_of(args, owners)
        rings = [cost_of_ring(run_ring(draw, made_up_counts(draw, owners, values), 1), job['seal']) for values in job['sums']]
        pairwise = sum(owners * (VALUE * values + job['seal'] + FRAME) for values in job['sums'])
        cells = [owners, rings[0][0], rings[0][1], owners, 1, round(sum(size for *_, size in rings) / 1000), round(pairwise / 1000), job['packets'],
                 round(job['bytes'] / 1000)]
        yield pages.line(['%d' % cell for cell in cells] + ['%.3f' % job['seconds']])


def exact_share(draw, owners, epsilon):
    """In %, of the counts of an owner amid the ring: how many its neighbours and the adder know after rounding."""
    counts = made_up_counts(draw, owners, 4000)
    victim = owners // 2
    read = read_by_neighbours(run_ring(draw, counts, 1 / epsilon), victim)
    return 100 * sum(round(value) == count for value, count in zip(read, counts[victim])) / len(read)


def reading_lines(args):
    draw = random.Random(2)
    yield 'Of 4,000 counts of an owner amid the ring, in %, those that its two neighbours and the adder read exactly: they round what they see.'
    yield from pages.header(['owners'] + ['eps %g a count' % e for e in args.epsilons])
    for owners in args.owners:
        if owners > 2:
            yield pages.line(['%d' % owners] + ['%.1f' % exact_share(draw, owners, e) for e in args.epsilons])


PARTS = {'id3-ring': cost_lines, 'id3-ring-read': reading_lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hedgerow', default='build/hedgerow')
    parser.add_argument('--build', default='build')
    parser.add_argument('--rows', type=int, default=10000, help='of all owners together (10000)')
    parser.add_argument('--owners', type=lambda text: list(map(int, text.split(','))), default=[2, 3, 5, 10, 20, 30, 40, 50], help='with commas')
    parser.add_argument('--epsilons', type=lambda text: list(map(float, text.split(','))), default=[.1, .5, 1, 2, 8], help='with commas (%(default)s)')
    parser.add_argument('--repeat', type=int, default=3, help='the median of so many jobs (3)')
    parser.add_argument('--into', metavar='FOLDER', help='put the tables in this folder, too (docs/reference/results)')
    args = parser.parse_args()
    if args.into:
        pages.check(args.into, PARTS)
    for part, lines_of in PARTS.items():
        lines = []
        print('\n## %s\n' % part)
        for line in lines_of(args):
            print(line, flush=True)
            lines.append(line)
        if args.into:
            pages.put(args.into, part, lines)


if __name__ == '__main__':
    main()
