#!/bin/sh
# Lets apt take the packages named in BACKPORTS from bookworm-backports. Runs on the
# root folder, given as $1, before anything is installed there.
set -eu
echo "deb ${backports_mirror:-http://deb.debian.org/debian} bookworm-backports main" >"$1/etc/apt/sources.list.d/backports.list"
mkdir -p "$1/etc/apt/preferences.d"
printf 'Package: %s\nPin: release n=bookworm-backports\nPin-Priority: 990\n' "$BACKPORTS" >"$1/etc/apt/preferences.d/backports"
