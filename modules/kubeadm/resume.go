package kubeadm

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// kubeletConfig is the file that kubeadm writes when it starts the kubelet.
const kubeletConfig = "/var/lib/kubelet/config.yaml"

// controlPlane are the manifests of a started control plane.
var controlPlane = []string{"etcd.yaml", "kube-apiserver.yaml", "kube-controller-manager.yaml", "kube-scheduler.yaml"}

// startPhases are the phases of kubeadm init up to the one that waits for the control
// plane (https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-init/).
var startPhases = []string{"preflight", "certs", "kubeconfig", "etcd", "control-plane", "kubelet-start"}

// begun reports whether an interrupted init has started the control plane with the same
// configuration and authority, so that only the later phases remain. An init that was
// already continued once is continued again only while the API server answers: then it was
// only too slow, not broken.
func (t *InitTask) begun(ctx context.Context, h module.Host, marker string) (bool, error) {
	state, hash, _ := strings.Cut(strings.TrimSpace(marker), " ")
	if is, err := t.node.configHash(ctx, h); err != nil || is != hash {
		return false, err
	}
	for name, want := range t.PKI {
		if is, _, err := hostfile.Read(ctx, h, pkiDir+"/"+name); err != nil || is != want.Reveal() {
			return false, err
		}
	}
	files := []string{kubeletConfig}
	for _, name := range controlPlane {
		files = append(files, manifestsDir+"/"+name)
	}
	for _, name := range files {
		if there, err := hostfile.Exists(ctx, h, name); err != nil || !there {
			return false, err
		}
	}
	if state == resumed {
		return t.ready(ctx, h)
	}
	return true, nil
}

func (n node) resume(ctx context.Context, h module.Host, args ...string) error {
	if err := n.mark(ctx, h, resumed); err != nil {
		return err
	}
	return n.call(ctx, h, args, slices.Concat(n.SkipPhases, startPhases))
}
