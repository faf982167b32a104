"""python -m hedgerow MODEL: prints what a model is, and what it promises. python -m hedgerow report MODEL [-o FILE]: writes a page about it."""
import argparse
import sys

from . import HedgerowError, Model, report


def parser_of() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m hedgerow', description='Prints what a model is, and what it promises.',
                                     epilog='python -m hedgerow report MODEL [-o FILE] writes a page about it.')
    parser.add_argument('model', metavar='MODEL')
    return parser


def report_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m hedgerow report', description='Writes a page about a model: one file of HTML.')
    parser.add_argument('model', metavar='MODEL')
    parser.add_argument('-o', '--output', metavar='FILE', help='default: MODEL with .html for .json')
    parser.add_argument('--evaluation', metavar='FILE', help='figures that "hedgerow evaluate --epsilon E --ledger LEDGER --json" printed, for the page')
    return parser


def page_of(path: str) -> str:
    return (path[:-5] if path.endswith('.json') else path) + '.html'


def main() -> int:
    arguments = sys.argv[1:]
    writes_page = arguments[:1] == ['report'] and len(arguments) > 1
    asked = report_parser().parse_args(arguments[1:]) if writes_page else parser_of().parse_args(arguments)
    try:
        model = Model.read(asked.model)
        if not writes_page:
            print(model.summary(), end='')
            return 0
        page = asked.output or page_of(asked.model)
        report(model, page, evaluation=asked.evaluation)
        print(page)
    except (HedgerowError, OSError) as e:
        print('hedgerow: %s' % e, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
