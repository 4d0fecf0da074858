#!/bin/sh
# Puts the Kubernetes programs of $PROGRAMS into the root file system $1, as the
# packages of a distribution would, with the kubelet's unit disabled.
set -eu
root=$1
. "$(dirname "$0")/../programs.sh"
program_put "$PROGRAMS" "$root/usr/bin" kubeadm kubelet kubectl
install -D -m 755 "$PROGRAMS/flannel-cni" "$root/usr/lib/cni/flannel"

mkdir -p "$root/etc/kubernetes/manifests" "$root/usr/lib/systemd/system/kubelet.service.d" "$root/var/lib/kubelet"
cat >"$root/usr/lib/systemd/system/kubelet.service" <<'UNIT'
[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target containerd.service

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
UNIT
cat >"$root/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf" <<'UNIT'
# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
# This is a file that "kubeadm init" and "kubeadm join" generates at runtime, populating the KUBELET_KUBEADM_ARGS variable dynamically
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
# This is a file that the user can use for overrides of the kubelet args as a last resort.
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
UNIT
