#!/bin/sh
# Starts the nodes of this hypervisor that are containers, or stops them. Made by kinit.
set -eu
%{ for node in nodes ~}
network_${replace(node.name, "-", "_")}() {
${node.namespace}
sh -s -- ${node.netns} <<'PLUG'
${node.plug}
PLUG
}
%{ endfor ~}
case $1 in
start)
%{ for node in nodes ~}
	network_${replace(node.name, "-", "_")}
	podman start ${node.name} >/dev/null
%{ endfor ~}
	;;
stop)
%{ for node in nodes ~}
	podman stop --time 20 ${node.name} >/dev/null &
%{ endfor ~}
	wait
	;;
esac
