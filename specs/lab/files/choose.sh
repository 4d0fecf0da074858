# Says whether a lab's programs are downloaded or built: that word without a line's end, and to
# standard error the reason. Changes nothing. Run by "sh -c", as a task that only reads.
#
#   sh -c TEXT choose OUTPUT_DIR auto|download|build URL DOWNLOADED BUILT REFUSAL
#
# URL         is a small file of the release site, which is asked for
# DOWNLOADED  is the stamp of complete downloads of today's inputs
# BUILT       is that of complete builds
# REFUSAL     says why nothing may be downloaded; empty where it may
out=$1 mode=$2 url=$3 downloaded=$4 built=$5 refusal=$6
patience=${PROBE_SECONDS:-5}

answer() { printf %s "$1"; echo "$2" >&2; exit 0; }

if [ "$mode" = download ] && [ -n "$refusal" ]; then
	echo "$refusal --artifacts build builds the programs on this machine instead." >&2
	exit 1
fi
[ "$mode" != download ] || answer download "The lab's programs are downloaded, as --artifacts download says."
[ "$mode" != build ] || answer build "The lab's programs are built from Go modules, as --artifacts build says."

# What was used last and is complete stays: whether a site answers just now changes nothing.
case $(readlink "$out/programs") in
downloaded) [ ! -e "$out/$downloaded" ] || [ -n "$refusal" ] || answer download "The lab's programs were downloaded before." ;;
*) [ ! -e "$out/$built" ] || answer build "The lab's programs were built before; --artifacts download downloads them." ;;
esac

[ -z "$refusal" ] || answer build "The lab's programs are built from Go modules. $refusal"
command -v curl >/dev/null || answer build "The lab's programs are built from Go modules, which takes minutes: there is no curl to download them."
if why=$(curl --head --fail --silent --show-error --location --connect-timeout "$patience" --max-time "$patience" --output /dev/null "$url" 2>&1); then
	answer download "The lab's programs are downloaded: $url answers."
fi
answer build "The lab's programs are built from Go modules, which takes minutes: $url cannot be had ($(echo "$why" | tail -n 1))."
