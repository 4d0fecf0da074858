#!/bin/sh
# Downloads the programs of a cluster: upstream's release binaries, from sites that have
# upstream's layouts.
#
#   DOWNLOADS=LINES [CHOSEN=WHY] [SILENCE=30] build-downloaded.sh OUTPUT_DIR
#
# DOWNLOADS  has a line for each program, five words:
#              PROGRAM URL HOW SUM SETTING
#            HOW says what the file at URL must be:
#              digest      its sha256 is SUM
#              published   its sha256 is what is published at SUM: a lone checksum, or lines as
#                          sha256sum prints them
#              unverified  anything, SUM is -
#              build       nothing is downloaded, build-flannel.sh makes it
#            SETTING is the variable that points to another site. An archive has the program in it.
# CHOSEN     is how it came that programs are downloaded; errors end with it
# SILENCE    is how many seconds a site may send nothing
#
# Result: OUTPUT_DIR/downloaded, with a file for each program, and SOURCES, which says of each
# its sha256, where it is from and how that was checked.
#
# Files that were downloaded and checked lie in OUTPUT_DIR/downloads under their sha256, so that
# an interrupted download goes on with the first file that was not complete.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need curl curl
[ -n "${DOWNLOADS:-}" ] || die "needs DOWNLOADS: see the head of this script"
begin "${1:-}"
settings=$DOWNLOADS
unless_made downloaded "$(made_of "$here/modules.sh" "$here"/kubernetes/go.*.txt)"
kept=$out/downloads
mkdir -p "$kept" "$work/downloaded" "$work/sums"
total=$(echo "$DOWNLOADS" | grep -c .)
count=0

# fail TEXT: what went wrong with the program at hand, and what to do.
fail() {
	die "$name: $1. ${setting:+--var $setting=URL names another site with the same layout, }--artifacts build builds the programs on this machine instead.${CHOSEN:+ $CHOSEN}"
}

# get URL FILE: fetch it, or say why not in $work/why. What is asked for by https comes by https.
get() {
	only='=http,https'
	case "$1" in https:*) only='=https' ;; esac
	curl --fail --silent --show-error --location --proto "$only" --proto-redir "$only" --retry 2 \
		--connect-timeout "${SILENCE:-30}" --speed-limit 1 --speed-time "${SILENCE:-30}" \
		--output "$2" "$1" 2>"$work/why"
}

# why: what curl said last, in one line.
why() { tail -n 1 "$work/why"; }

sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# published URL FILE_NAME: the checksum of a file among those at URL.
published() {
	sums=$work/sums/$(printf '%s' "$1" | sha256sum | cut -c 1-12)
	if [ ! -f "$sums" ]; then
		get "$1" "$sums.part" || fail "its checksum cannot be had from $1: $(why)"
		mv "$sums.part" "$sums"
	fi
	wanted=$(awk -v file="$2" 'NR == 1 && NF == 1 { print $1 } NF == 2 { sub(/^\*/, "", $2); sub(/^.*\//, "", $2); if ($2 == file) print $1 }' "$sums" | head -n 1)
	echo "$wanted" | grep -qxiE '[0-9a-f]{64}' || fail "$1 has no checksum of $2"
	wanted=$(echo "$wanted" | tr A-F a-f)
}

# download: the file at $url into $kept, as $sum.
download() {
	wanted=
	case "$how" in
	digest) wanted=$expected checked="the digest of its pin" ;;
	published) published "$expected" "${url##*/}" && checked="the checksum that is published at $expected" ;;
	unverified) checked="nothing: it has no checksum" ;;
	*) die "DOWNLOADS has the word $how, which this script does not know" ;;
	esac
	if [ -n "$wanted" ] && [ -f "$kept/$wanted" ] && [ "$(sum_of "$kept/$wanted")" = "$wanted" ]; then
		sum=$wanted
		say "$name ($count of $total) is there already"
		return
	fi
	say "$name ($count of $total) from $url"
	get "$url" "$work/part" || fail "$url cannot be had: $(why)"
	sum=$(sum_of "$work/part")
	[ -z "$wanted" ] || [ "$sum" = "$wanted" ] ||
		fail "$url is not what it should be: its sha256 is $sum, and $wanted by $checked"
	say "$name: $(du -h "$work/part" | cut -f 1), checked against $checked"
	mv "$work/part" "$kept/$sum"
}

# place: the program of $kept/$sum into the result.
place() {
	case "$url" in
	*.tar.gz | *.tgz)
		mkdir "$work/archive"
		tar -C "$work/archive" --no-same-owner -xzf "$kept/$sum" 2>"$work/why" || fail "$url is no archive that can be unpacked: $(why)"
		found=$(find "$work/archive" -type f -name "$name" | head -n 1)
		[ -n "$found" ] || fail "$url has no file $name in it"
		mv "$found" "$work/downloaded/$name"
		rm -rf "$work/archive"
		;;
	*) ln "$kept/$sum" "$work/downloaded/$name" ;;
	esac
	chmod 755 "$work/downloaded/$name"
}

echo "$DOWNLOADS" >"$work/lines"
: >"$work/used"
while read -r name url how expected setting; do
	[ -n "$name" ] || continue
	count=$((count + 1))
	[ "$how" != build ] || continue
	download
	place
	echo "$sum" >>"$work/used"
	echo "$name $(sum_of "$work/downloaded/$name") from $url, checked against $checked" >>"$work/downloaded/SOURCES"
done <"$work/lines"

# After the others, so that a site that has not all of it is found out early.
while read -r name url how expected setting; do
	[ "$how" = build ] || continue
	if [ ! -e "$work/built" ]; then
		say "$url has no checksum, neither of a pin nor published: flannel is built from Go modules. A pin (kinit pins renew --file pins.json, then --var-file pins.json) or --var allow_unpinned=true downloads it"
		sh "$here/build-flannel.sh" "$out"
		touch "$work/built"
	fi
	ln "$out/flannel/$name" "$work/downloaded/$name"
	echo "$name $(sum_of "$work/downloaded/$name") built from Go modules" >>"$work/downloaded/SOURCES"
done <"$work/lines"

finish downloaded
# What no program is made of any more.
for file in "$kept"/*; do grep -qxF "${file##*/}" "$work/used" || rm -f "$file"; done
