#!/bin/sh
# The longer tests of the R package that tools/r.sh has installed. usage: tools/r-long.sh FOLDER
set -eu
. "$1/environment"
Rscript tests/r/protect.R
Rscript tests/r/memory.R
tests/r/interrupt.py
