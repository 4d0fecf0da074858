#!/bin/sh
# Makes the folder $1 with the archives that a Windows node downloads. What follows are their
# versions: NAME=VERSION.
# Each program in them is a line of text that says what it stands in for; the simulator
# alone knows what to do with it.
set -eu
out=$1
shift
mkdir -p "$out"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

for given; do
	case "${given%%=*}" in
	kubernetes) kubernetes=${given#*=} ;;
	containerd) containerd=v${given#*=} ;;
	crictl) crictl=${given#*=} ;;
	flannel) flannel=${given#*=} ;;
	cni_flannel) cni_flannel=${given#*=} ;;
	cni) cni=${given#*=} ;;
	esac
done

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
for name in containerd containerd-shim-runhcs-v1 ctr; do program "containerd/bin/$name.exe" "$name" "$containerd"; done
pack containerd bin
program crictl/crictl.exe crictl "$crictl"
pack crictl crictl.exe
program flannel/flanneld.exe flanneld "$flannel"
pack flannel flanneld.exe
program cni_flannel/flannel-amd64.exe flannel "$cni_flannel"
pack cni_flannel flannel-amd64.exe
for name in host-local win-overlay win-bridge; do program "cni/$name.exe" "$name" "$cni"; done
pack cni .
(cd "$out" && sha256sum *.tar.gz >SHA256SUMS)

# What Windows itself is installed with: the drivers are unused here, and the
# package of OpenSSH is in the simulator's own form.
mkdir -p "$tree/drivers"
echo "kinit-winsim: in place of virtio-win" >"$tree/drivers/README.txt"
genisoimage -quiet -J -V KINIT_DRIVERS -o "$out/drivers.iso" "$tree/drivers" 2>/dev/null
cat >"$out/openssh.msi" <<'MSI'
{"kinit-winsim": "msi", "product": "{11111111-2222-3333-4444-555555555555}", "name": "OpenSSH", "version": "10.0",
"files": {"C:\\Program Files\\OpenSSH\\sshd.exe": "kinit-winsim program sshd 10.0\n"},
"services": [{"name": "sshd", "display": "OpenSSH SSH Server", "image": "\"C:\\Program Files\\OpenSSH\\sshd.exe\"", "automatic": true}]}
MSI
