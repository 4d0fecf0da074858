# push.sh check|push REGISTRY FOLDER SOURCE=REPOSITORY:TAG...
# check fails when the registry lacks one of the images; push copies those that it lacks.
# One after the other: images share layers, and what the registry has is not sent again.
# FOLDER has the authority of the registry's certificate (ca.crt) and who may push
# (auth.json, curl.conf).
set -eu
verb=$1 registry=$2 folder=$3
shift 3

# missing NAME...: the names that the registry does not have.
missing() {
	for name in "$@"; do
		printf 'url = "https://%s/v2/%s/manifests/%s"\noutput = "/dev/null"\n' "$registry" "${name%:*}" "${name##*:}"
	done | cat "$folder/curl.conf" - | curl --silent --head --cacert "$folder/ca.crt" --write-out '%{http_code} %{url_effective}\n' --config - |
		awk '$1 != 200'
}

names=
for pair; do names="$names ${pair##*=}"; done
# shellcheck disable=SC2086 # a list of names
lacks=$(missing $names)
[ "$verb" = push ] || { [ -z "$lacks" ] && exit 0; echo "$lacks" >&2; exit 1; }
for pair; do
	name=${pair##*=}
	case "$lacks" in
	*"/v2/${name%:*}/manifests/${name##*:}"*) ;;
	*) continue ;;
	esac
	echo "push $name"
	skopeo copy --quiet --dest-cert-dir "$folder" --dest-authfile "$folder/auth.json" "${pair%%=*}" "docker://$registry/$name"
done
