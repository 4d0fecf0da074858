#!/bin/sh
# stamped.sh OUTPUT_DIR NAME INPUTS: run build-NAME.sh, and leave the stamp
# .made-NAME-INPUTS in its output folder. Stamps of other inputs go first: what they
# stand for is about to be replaced.
set -eu
rm -f "$1/.made-$2-"*
sh "${0%/*}/build-$2.sh" "$1"
touch "$1/.made-$2-$3"
