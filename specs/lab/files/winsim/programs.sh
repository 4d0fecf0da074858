#!/bin/sh
# Makes the folder $1 with what a Windows node downloads. Each program is a line of text
# that says what it stands in for; the simulator alone knows what to do with it.
set -eu
out=$1
version=$2
mkdir -p "$out"
program() { printf 'kinit-winsim program %s %s\n' "$2" "$3" >"$1"; }

program "$out/kubeadm.exe" kubeadm "$version"
program "$out/kubelet.exe" kubelet "$version"
program "$out/kube-proxy.exe" kube-proxy "$version"
program "$out/flanneld.exe" flanneld v0.26.7

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/containerd/bin" "$folder/cni" "$folder/crictl"
for name in containerd containerd-shim-runhcs-v1 ctr; do program "$folder/containerd/bin/$name.exe" "$name" v1.7.28; done
for name in flannel host-local sdnoverlay win-bridge win-overlay; do program "$folder/cni/$name.exe" "$name" v1.6.2; done
program "$folder/crictl/crictl.exe" crictl v1.34.0

# The same bytes every time, so that checksums are stable.
pack() { tar -C "$1" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - . | gzip -n >"$2"; }
pack "$folder/containerd" "$out/containerd.tar.gz"
pack "$folder/cni" "$out/cni.tar.gz"
pack "$folder/crictl" "$out/crictl.tar.gz"
(cd "$out" && sha256sum *.exe *.tar.gz >SHA256SUMS)
