#!/usr/bin/env python3
"""The project speaks of itself alone, and is finished: no paths of one machine, no notes of work left over. Comments of the code name
things: data do not talk to each other. Nor do names of the code: a machine accepts an answer, a question is received, a sum is dropped.
usage: words.py ROOT"""
import re
import sys

import source

# Split, so that this file does not hold what it looks for.
RULES = [
    (re.compile(r'(?:^|[^\w./])(?:/wor' r'k|/far' r'm|/hom' r'e/\w+|/roo' r't|/tmp/w' r't)(?:/|\b)', re.M), 'a path of one machine'),
    (re.compile(r'\b(?:TO' r'DO|FIX' r'ME|XX' r'X|HA' r'CK)\b'), 'work left over; do it or drop it'),
    (re.compile(r'\bnot (?:yet )?imple' r'mented\b|\bst' r'ub(?:bed)?\b', re.I), 'unfinished by its own word'),
    (re.compile(r'\b(?:pyp' r'i\.org|deb\.deb' r'ian\.org|crat' r'es\.io|npm' r'js\.(?:com|org))\b'), 'the host of a package registry'),
]

# A verb of a conversation -> its forms, and what to write in its place.
TALK = {'say': ('say says said saying', 'name the thing: a leaf holds a value, a field decides, a figure is'),
        'tell': ('tell tells told telling', 'a machine accepts or gives, a number shows, a word separates'),
        'hear': ('hear hears heard hearing unheard', 'a message is received'),
        'ask': ('ask asks asked asking', 'a question is of or for; a tree splits by; a caller requests')}
TALK_MOST = 3 # of each in 10,000 words of a wing's comments
COMMENT = re.compile(r'/\*.*?\*/', re.S)

# A name of the old dialogue, and what to call it.
NAMES = [(re.compile(pattern), better) for pattern, better in [
    (r'\b\w*hearer\w*\b', 'question_reader'),
    (r'\b(?:hear|unheard)_\w+|\b\w+_(?:hear|heard)\b|[.>]heard\b', 'receive, received'),
    (r'\bhr_\w+_tell(?:_\w+)?\b|\btell_\w+|\btold_\w+', 'accept, describe, on_...'),
    (r'\bhr_\w+_say\b|\bsay_\w+|\bsays_\w+|[.>]said\b', 'what is held, listed, stated or sent'),
    (r'\bhr_(?:\w+_)?ask\b|\bHR_ASK_\w+', 'question'),
    (r'\bHR_EVENT_(?:AWAY|BEGUN|WORKED|ASKED)\b', 'HR_EVENT_TIMEOUT, WORK_STARTED, WORK_DONE, NEXT_QUESTION'),
    (r'\bhr_party_job\b', 'hr_job_view, hr_live_job_...'),
    (r'\bjob->kept\b', 'job->state'),
    (r'\bwishes\b|\b\w+_wish\b', 'options, next_question'),
    (r'\bhr_\w+_lose\b|\blose_\w+|outcome(?:\.|->)lost\b', 'drop, dropped'),
    (r'\b\w+_maker\b', 'builder, writer'),
]]


def names(root):
    """Names of the old dialogue in the code; a field of the public interface may stay."""
    return ['%s:%d: the name %s: %s' % (path, source.line_of(text, m.start() + 1), m.group(0).strip('.>'), better)
            for path in source.files(root, 'src', 'cli', suffixes=('.c', '.h')) for text in [source.read(root, path)]
            for pattern, better in NAMES for m in pattern.finditer(text)]


def talk(root):
    """Wings whose comments have more of a word than the limit allows, each with the first place."""
    words, places = {}, {}
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        text, wing = source.read(root, path), path.split('/')[1]
        for comment in COMMENT.finditer(text):
            words[wing] = words.get(wing, 0) + len(re.findall(r'[A-Za-z]+', comment.group(0)))
            for verb, (forms, _) in TALK.items():
                # Not in names: ask->lines, f(ask), `told`.
                pattern = r'(?<!\w\()(?<![`.>])\b(?:%s)\b(?!->|\.\w|`)' % forms.replace(' ', '|')
                places.setdefault((wing, verb), []).extend('%s:%d' % (path, source.line_of(text, comment.start() + m.start()))
                                                           for m in re.finditer(pattern, comment.group(0), re.I))
    return ['%s: "%s" comes %d times in the comments of src/%s, more than %d in 10,000 words; %s' %
            (at[0], verb, len(at), wing, TALK_MOST, TALK[verb][1])
            for (wing, verb), at in sorted(places.items()) if len(at) * 10000 > TALK_MOST * words[wing]]


def main():
    root, problems = sys.argv[1], []
    for path in source.files(root):
        text = source.read(root, path)
        if text is None:
            continue
        for pattern, why in RULES:
            problems += ['%s:%d: %s: %s' % (path, source.line_of(text, m.start() + 1), why, m.group(0).strip()) for m in pattern.finditer(text)]
    source.report(problems + talk(root) + names(root))


main()
