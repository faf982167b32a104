#!/usr/bin/env python3
"""Draws docs/results.svg from the tables of docs/results.md: test error on adult against epsilon.
usage: plot.py [TABLES [PICTURE]]"""
import math
import os
import re
import sys

import pages

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 60, 30, 210, 50
LOW, HIGH, TRIVIAL = 12, 26, 24.08
COLOURS = {'hedge': '#1b7837', 'hedge, pure epsilon': '#7fbf7b', 'dpboost, sound': '#2166ac', 'dpboost, as published': '#b2182b'}


def row(text, first):
    """The numbers of a table's row that begins with these cells."""
    return [float(cell.split('±')[0]) for cell in pages.rows_of(text, first)[0]]


def read(path):
    """{title: [(epsilon, error)]}, and the error without privacy."""
    text = pages.read(path)
    wide, narrow = [.1, .25, .5, 1, 2, 4, 8], [.5, 1, 2, 4, 8]
    published = re.search(r'### adult\n(.*?)(?=\n###|$)', pages.part_of(text, 'private'), re.S).group(1)
    curves = {'hedge': zip(wide, row(pages.part_of(text, 'hedge'), 'adult | error, %')),
              'hedge, pure epsilon': zip(wide, row(pages.part_of(text, 'pure'), 'adult | error, %')),
              'dpboost, sound': zip(narrow, row(published, '**DPBoost sound**')),
              'dpboost, as published': zip(narrow, row(published, '**DPBoost as published**'))}
    plain = next(line for line in pages.part_of(text, 'plain').split('\n') if line.startswith('| adult | 0.1 |'))
    return {title: list(points) for title, points in curves.items()}, float(plain.split('|')[3].split('±')[0])


def x_of(epsilon):
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(epsilon / .1) / math.log(80)


def y_of(error):
    return TOP + (HEIGHT - TOP - BOTTOM) * (HIGH - min(error, HIGH)) / (HIGH - LOW)


def text_at(x, y, words, anchor='start', colour='#333'):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>' % (x, y, anchor, colour, words)


def axes():
    out = []
    for e in (.1, .25, .5, 1, 2, 4, 8):
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#eee"/>' % (x_of(e), x_of(e), TOP, HEIGHT - BOTTOM))
        out.append(text_at(x_of(e), HEIGHT - BOTTOM + 18, '%g' % e, 'middle'))
    for error in range(LOW, HIGH + 1, 2):
        out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#eee"/>' % (LEFT, WIDTH - RIGHT, y_of(error), y_of(error)))
        out.append(text_at(LEFT - 8, y_of(error) + 4, '%d %%' % error, 'end'))
    out.append(text_at((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, 'epsilon (less is more private)', 'middle'))
    return out


def level(error, words):
    line = '<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#777" stroke-dasharray="5 4"/>' % (LEFT, WIDTH - RIGHT, y_of(error), y_of(error))
    return [line, text_at(WIDTH - RIGHT + 8, y_of(error) + 4, words, colour='#777')]


def curve(title, points, colour):
    """Points beyond the top are left out: the line leaves the picture."""
    path = ' '.join('%.1f,%.1f' % (x_of(e), y_of(v)) for e, v in points)
    dots = ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x_of(e), y_of(v), colour) for e, v in points if v <= HIGH]
    return ['<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (path, colour)] + dots


def legend():
    return [text_at(WIDTH - RIGHT + 8, TOP + 110 + 18 * i, title, colour=colour) for i, (title, colour) in enumerate(COLOURS.items())]


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'docs', 'results.md')
    target = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'docs', 'results.svg')
    curves, plain = read(source)
    parts = axes() + level(plain, 'gbdt, no privacy') + level(TRIVIAL, 'always the larger class') + legend()
    for title, points in curves.items():
        parts += curve(title, points, COLOURS[title])
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT)
    pages.write(target, '\n'.join([head, '<rect width="100%" height="100%" fill="white"/>', text_at(LEFT, 18, 'Test error on adult')]
                                   + parts + ['</svg>', '']))


main()
