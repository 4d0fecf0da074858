#!/bin/sh
# Lets apt take the packages named in BACKPORTS from bookworm-backports. Runs on the
# root folder, given as $1, before anything is installed there. $debian is the site of Debian's
# archive, backports_mirror another one.
set -eu
echo "deb ${backports_mirror:-$debian} bookworm-backports main" >"$1/etc/apt/sources.list.d/backports.list"
mkdir -p "$1/etc/apt/preferences.d"
printf 'Package: %s\nPin: release n=bookworm-backports\nPin-Priority: 990\n' "$BACKPORTS" >"$1/etc/apt/preferences.d/backports"
