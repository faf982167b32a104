"""The command `hedgerow` of the wheel: becomes the program that lies beside this file.

Not in the package hedgerow, whose import loads numpy."""
import os
import sys


def main() -> None:
    os.execv(os.path.join(os.path.dirname(__file__), 'hedgerow'), sys.argv)
