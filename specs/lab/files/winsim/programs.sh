#!/bin/sh
# Makes the folder $1 with the archives that a Windows node downloads, for Kubernetes $2.
# Each program in them is a line of text that says what it stands in for; the simulator
# alone knows what to do with it.
set -eu
out=$1
kubernetes=$2
mkdir -p "$out"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

program() { # FILE NAME VERSION
	mkdir -p "$(dirname "$tree/$1")"
	printf 'kinit-winsim program %s %s\n' "$2" "$3" >"$tree/$1"
}
# The same bytes every time, so that checksums are stable.
pack() { tar -C "$tree/$1" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - "$2" | gzip -n >"$out/$1.tar.gz"; }

for name in kubeadm kubelet kubectl kube-proxy kube-log-runner; do
	program "kubernetes/kubernetes/node/bin/$name.exe" "$name" "$kubernetes"
done
pack kubernetes kubernetes
for name in containerd containerd-shim-runhcs-v1 ctr; do program "containerd/bin/$name.exe" "$name" v1.7.28; done
pack containerd bin
program crictl/crictl.exe crictl v1.34.0
pack crictl crictl.exe
program flannel/flanneld.exe flanneld v0.26.7
pack flannel flanneld.exe
program cni_flannel/flannel-amd64.exe flannel v1.6.2-flannel1
pack cni_flannel flannel-amd64.exe
for name in host-local win-overlay win-bridge; do program "cni/$name.exe" "$name" v1.6.2; done
pack cni .
(cd "$out" && sha256sum *.tar.gz >SHA256SUMS)
