# shell.sh [COMMAND...]: a command, or a shell, with the kubectl and the kubeconfig of cluster
# ${cluster.name}. Made by kinit.
cd ${place} || exit 1
export KUBECONFIG=${place}/kubeconfig PATH="${place}:$PATH"
[ $# = 0 ] || exec "$@"
exec "$${SHELL:-/bin/sh}"
