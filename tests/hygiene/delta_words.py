#!/usr/bin/env python3
"""Nothing says of delta what is not so: that the odds change by more than e^epsilon with probability delta, or that the guarantee fails
with it. (epsilon, delta) is additive: P(S) <= e^epsilon P'(S) + delta. usage: delta_words.py ROOT"""
import re
import sys

import source

BETWEEN = r'[\s"\\*#>/|\']+'  # words of a sentence go on in the next line, literal or comment
# Split, so that this file does not hold what it looks for.
FALSE = [
    'except with (?:a )?prob' r'ability',
    r'prob' r'ability (?:of|at|by|with) which (?:the|a|its|this) (?:guarantee|bound|promise)',
    r'(?:prob' r'ability|chance|risk) that (?:the|a|its|this) (?:guarantee|bound|promise|privacy) (?:fails|breaks|is broken|does not hold)',
    r'(?:but|except|save) for an event of prob' r'ability',
    r'prob' r'ability (?:of )?(?:at least )?1 ?- ?(?:delta|δ)\b',
    r'\b(?:delta|δ) is the (?:prob' r'ability|chance|risk)',
    r'(?:changes?|changed) the (?:odds|prob' r'ability) of any \w+ (?:from the model )?by (?:a factor of )?at most e',
    r'(?:guarantee|bound|promise) (?:may fail|fails) (?:for|with) (?:one|prob' r'ability)',
]
RULES = [re.compile(words.replace(' ', BETWEEN), re.I) for words in FALSE]


def main():
    root, problems = sys.argv[1], []
    for path in source.files(root):
        text = source.read(root, path)
        if text is None or path.endswith('.svg'):
            continue
        for pattern in RULES:
            problems += ['%s:%d: not what delta means: "%s"; say it as <hedgerow/promise.h> does' %
                         (path, source.line_of(text, m.start()), ' '.join(m.group(0).split())) for m in pattern.finditer(text)]
    source.report(problems)


main()
