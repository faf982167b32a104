#!/usr/bin/env python3
"""The curve of hr_calibration_fit for the tables of test_calibration.c, computed with other code: prints the numbers that stand
there.
usage: calibration_check.py test_calibration.c"""
import math
import re
import sys

BELIEVED, DEVIATION, BINS = (0, 1), (.15, .3), 20


def inverse(m):
    (a, b), (c, d) = m
    return [[d / (a * d - b * c), -b / (a * d - b * c)], [-c / (a * d - b * c), a / (a * d - b * c)]]


def product(m, n):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*n)] for row in m]


def fit(no, yes, sigma):
    middles = [(b + .5) / BINS for b in range(BINS)]
    rows = [(1, math.log(q / (1 - q))) for q in (.5 + (z - .5) / 1.1 for z in middles)]
    theta = list(BELIEVED)
    for _ in range(12):
        g, h, v = [[0], [0]], [[1e-9, 0], [0, 1e-9]], [[1e-9, 0], [0, 1e-9]]
        for phi, n, y in zip(rows, no, yes):
            q = 1 / (1 + math.exp(-theta[0] - theta[1] * phi[1]))
            w = max(n + y, 0) * q * (1 - q)
            for i in range(2):
                g[i][0] += phi[i] * (y - (n + y) * q)
                for j in range(2):
                    h[i][j] += w * phi[i] * phi[j]
                    v[i][j] += (w + sigma**2 * ((1 - q)**2 + q**2)) * phi[i] * phi[j]
        by = product(h, inverse(v))
        a, r = product(by, h), product(by, g)
        for i in range(2):
            a[i][i] += DEVIATION[i]**-2
            r[i][0] -= (theta[i] - BELIEVED[i]) / DEVIATION[i]**2
        theta = [t + min(max(s[0], -1), 1) for t, s in zip(theta, product(inverse(a), r))]
    return min(max(theta[0], -2), 2), min(max(theta[1], .25), 4)


def main():
    with open(sys.argv[1]) as source:
        text = source.read()
    for name, cells in re.findall(r'"(\w[\w ]*)",\s*\{((?:\s*-?\d+,?)+)\}', text):
        units = [int(cell) / 64 for cell in cells.split(',') if cell.strip()]
        for sigma in (.05, 5, 60, 2000):
            print('%-10s sigma %-5g intercept %.8f slope %.8f' % ((name, sigma) + fit(units[::2], units[1::2], sigma)))


main()
