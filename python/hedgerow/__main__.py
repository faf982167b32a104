"""python -m hedgerow MODEL: prints what a model is, and what it promises."""
import sys

from . import HedgerowError, Model


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] in ('-h', '--help'):
        print('usage: python -m hedgerow MODEL', file=sys.stderr)
        return 0 if sys.argv[1:] in (['-h'], ['--help']) else 2
    try:
        model = Model.read(sys.argv[1])
    except HedgerowError as e:
        print('hedgerow: %s' % e, file=sys.stderr)
        return 1
    print(model.summary(), end='')
    return 0


if __name__ == '__main__':
    sys.exit(main())
