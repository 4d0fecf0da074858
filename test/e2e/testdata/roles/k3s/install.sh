#!/bin/sh
# A stand-in for k3s' script of installation. Nothing of k3s is here: it lays down a script in place
# of k3s with the files, units and port that the playbooks deal with.
set -eu
mode=server unit=k3s
case "${INSTALL_K3S_EXEC:-}" in agent*) mode=agent unit=k3s-agent ;; esac
units=${INSTALL_K3S_SYSTEMD_DIR:-/etc/systemd/system}

if [ "${INSTALL_K3S_SKIP_DOWNLOAD:-false}" != true ]; then
	sed "s/@VERSION@/$INSTALL_K3S_VERSION/" >/usr/local/bin/k3s.new <<'PROGRAM'
#!/bin/sh
# A stand-in for k3s: it keeps a list of nodes, and asks those who join for the token.
set -eu
data=/var/lib/rancher/k3s
config=/etc/rancher/k3s/config.yaml
case "${0##*/}" in kubectl) set -- kubectl "$@" ;; esac

setting() { [ ! -e "$config" ] || sed -n "s/^\"\{0,1\}$1\"\{0,1\}: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$config"; }

# join ROLE SERVER TOKEN
join() {
	echo "http://${2#https://}" >/run/k3s-stand-in
	echo "${3##*:}" >/run/k3s-stand-in.token
	until curl -fsS -H "Authorization: ${3##*:}" "http://${2#https://}/join/$1/$(hostname)"; do sleep 1; done
}

case "${1:-}" in
--version) echo "k3s version @VERSION@ (a stand-in, not k3s)" ;;
server)
	mkdir -p "$data/server"
	umask 077
	token=$(setting token)
	server=$(setting server)
	if [ -n "$server" ]; then
		join control-plane "$server" "$token"
	else
		[ -s "$data/server/token" ] || echo "K10stand-in::server:${token:-$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')}" >"$data/server/token"
		cp "$data/server/token" "$data/server/node-token"
		echo "http://127.0.0.1:6443" >/run/k3s-stand-in
		sed 's/.*://' "$data/server/token" >/run/k3s-stand-in.token
		touch "$data/server/nodes"
		grep -qx "control-plane $(hostname)" "$data/server/nodes" || echo "control-plane $(hostname)" >>"$data/server/nodes"
	fi
	cat >/etc/rancher/k3s/k3s.yaml <<YAML
apiVersion: v1
kind: Config
clusters: [{name: default, cluster: {server: "https://127.0.0.1:6443"}}]
contexts: [{name: default, context: {cluster: default, user: default}}]
current-context: default
YAML
	exec socat TCP-LISTEN:6443,fork,reuseaddr EXEC:"$0 answer"
	;;
agent)
	# The arguments are: agent --server URL …
	join agent "$3" "$K3S_TOKEN"
	exec sleep infinity
	;;
answer)
	read -r _ path _
	given=
	while read -r name value && [ "${name%$(printf '\r')}" != "" ]; do
		case "$name" in Authorization:) given=${value%$(printf '\r')} ;; esac
	done
	status="401 Unauthorized" body=
	if [ "$given" = "$(cat /run/k3s-stand-in.token)" ]; then
		status="200 OK"
		case "$path" in
		/join/*)
			node=$(echo "${path#/join/}" | tr / ' ')
			grep -qx "$node" "$data/server/nodes" || echo "$node" >>"$data/server/nodes"
			;;
		/nodes) body=$(cat "$data/server/nodes") ;;
		esac
	fi
	printf 'HTTP/1.0 %s\r\n\r\n%s\n' "$status" "$body"
	;;
kubectl)
	nodes=$(curl -fsS -H "Authorization: $(cat /run/k3s-stand-in.token)" "$(cat /run/k3s-stand-in)/nodes")
	case "$*" in
	*control-plane*) echo "$nodes" | sed -n 's/^control-plane //p' ;;
	*) echo "$nodes" | sed 's/^[^ ]* //' ;;
	esac | sort | tr '\n' ' ' | sed 's/ $//'
	;;
*)
	echo "This is a stand-in for k3s, which knows no \"${1:-}\"." >&2
	exit 2
	;;
esac
PROGRAM
	chmod 755 /usr/local/bin/k3s.new
	mv /usr/local/bin/k3s.new /usr/local/bin/k3s
	ln -sf k3s /usr/local/bin/kubectl
fi

(
	umask 077
	env | grep '^K3S_' >"$units/$unit.service.env" || :
)
cat >"$units/$unit.service" <<UNIT
[Unit]
Description=A stand-in for k3s

[Service]
EnvironmentFile=-$units/$unit.service.env
ExecStart=/usr/local/bin/k3s ${INSTALL_K3S_EXEC:-server}
Restart=on-failure
RestartSec=1

[Install]
WantedBy=multi-user.target
UNIT
[ "$mode" = agent ] || sed -i "s|^ExecStart=.*|ExecStart=/usr/local/bin/k3s server ${INSTALL_K3S_EXEC:-}|" "$units/$unit.service"

uninstall=/usr/local/bin/k3s-uninstall.sh
[ "$mode" = server ] || uninstall=/usr/local/bin/k3s-agent-uninstall.sh
cat >"$uninstall" <<UNINSTALL
#!/bin/sh
systemctl disable --now $unit.service
rm -rf $units/$unit.service $units/$unit.service.env /etc/rancher /var/lib/rancher /usr/local/bin/k3s /usr/local/bin/kubectl /run/k3s-stand-in* $uninstall
systemctl daemon-reload
UNINSTALL
chmod 755 "$uninstall"
systemctl daemon-reload
systemctl enable --quiet "$unit.service"
[ "${INSTALL_K3S_SKIP_START:-}" = true ] || systemctl restart "$unit.service"
