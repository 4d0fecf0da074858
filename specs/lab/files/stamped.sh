#!/bin/sh
# stamped.sh OUTPUT_DIR NAME INPUTS: run build-NAME.sh, and leave the stamp
# .made-NAME-INPUTS in its output folder. Stamps of other inputs go first: what they
# stand for is about to be replaced. INPUTS begin with a hexadecimal digit; what follows
# NAME in the stamp of another builder, as in guest-root, does not.
set -eu
rm -f "$1/.made-$2-"[0-9a-f]*
sh "${0%/*}/build-$2.sh" "$1"
touch "$1/.made-$2-$3"
