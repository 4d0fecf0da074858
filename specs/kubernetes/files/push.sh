# push.sh check|push REGISTRY FOLDER SOURCE=REPOSITORY:TAG...
# check fails when the registry lacks one of the images; push copies those that it lacks.
# One after the other: images share layers, and what the registry has is not sent again.
# FOLDER has the authority of the registry's certificate (ca.crt) and who may push
# (auth.json, which also says who may pull elsewhere; curl.conf). In place of a tag, an image
# may have a digest: REPOSITORY@DIGEST. Before a SOURCE, all: copies it for all platforms; if the
# source has a digest, a registry that has the tag for one platform only lacks the image.
set -eu
verb=$1 registry=$2 folder=$3
shift 3

# manifest REPOSITORY:TAG: the path at which a registry has it.
manifest() {
	case $1 in
	*@*) echo "/v2/${1%@*}/manifests/${1#*@}" ;;
	*) echo "/v2/${1%:*}/manifests/${1##*:}" ;;
	esac
}

# missing NAME...: the names that the registry does not have.
missing() {
	for name in "$@"; do
		printf 'url = "https://%s%s"\noutput = "/dev/null"\n' "$registry" "$(manifest "$name")"
	done | cat "$folder/curl.conf" - | curl --silent --head --connect-timeout 5 --cacert "$folder/ca.crt" --write-out '%{http_code} %{url_effective}\n' --config - |
		awk '$1 != 200'
}

# wanted SOURCE=REPOSITORY:TAG: what the registry has if it has the image: its tag, and the digest of all
# its platforms together.
wanted() {
	name=${1##*=}
	echo "$name"
	case $1 in
	all:*@sha256:*) case $name in *@*) ;; *) digest=${1%=*} && echo "${name%:*}@${digest##*@}" ;; esac ;;
	esac
}

names=
for pair; do names="$names $(wanted "$pair")"; done
# shellcheck disable=SC2086 # a list of names
lacks=$(missing $names)
[ "$verb" = push ] || { [ -z "$lacks" ] && exit 0; echo "$lacks" >&2; exit 1; }
for pair; do
	name=${pair##*=} source=${pair%%=*} all="" lacking=""
	for one in $(wanted "$pair"); do
		case "$lacks" in
		*"$(manifest "$one")"*) lacking=yes ;;
		esac
	done
	[ -n "$lacking" ] || continue
	case $source in
	all:*) source=${source#all:} all=--all ;;
	esac
	echo "push $name"
	# shellcheck disable=SC2086 # an option or none
	skopeo copy --quiet $all --src-authfile "$folder/auth.json" --dest-cert-dir "$folder" --dest-authfile "$folder/auth.json" "$source" "docker://$registry/$name"
done
