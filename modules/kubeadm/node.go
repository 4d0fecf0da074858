package kubeadm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

// Files of kubeadm, at the same paths on every node.
const (
	adminConf    = "/etc/kubernetes/admin.conf"
	kubeletConf  = "/etc/kubernetes/kubelet.conf"
	manifestsDir = "/etc/kubernetes/manifests"
	pkiDir       = "/etc/kubernetes/pki"
	etcdData     = "/var/lib/etcd/member" // exists while etcd has data; kubeadm reset deletes it
)

// markerFile records kinit's progress with kubeadm on a node. It is not a mark of
// ownership: without it, an incomplete node could not be distinguished from one that
// somebody else made.
const markerFile = "/etc/kubernetes/kinit-kubeadm"

// The states in the marker file. The first two are followed by the hash of the configuration
// that kubeadm started with.
const (
	started = "started"
	resumed = "resumed" // started, interrupted, and gone on with
	done    = "done\n"
)

// node is embedded in kubeadm_init and kubeadm_join.
type node struct {
	// Config is the path of the configuration on the host, as kubeadm_config writes it.
	Config string `hcl:"config" path:"absolute"`
	// PKI are files below /etc/kubernetes/pki by their path, such as { "ca.crt" = …, "ca.key" = … }. They are written before kubeadm runs, which then uses them instead of making its own. Keys get mode 0600. Default none.
	PKI map[string]secret.Value `hcl:"pki,optional"`
	// CRISocket is the container runtime's socket, for the reset of an incomplete node. Default: found by kubeadm.
	CRISocket string `hcl:"cri_socket,optional"`
	// IgnorePreflight are checks whose failure is only a warning, such as "NumCPU". Default none.
	IgnorePreflight []string `hcl:"ignore_preflight,optional"`
	// SkipPhases are phases that kubeadm skips. Default none.
	SkipPhases []string `hcl:"skip_phases,optional"`
	// Wait is how long the node can take to answer afterwards, such as "5m".
	Wait module.Duration `hcl:"wait,optional" default:"5m"`
	module.Presence

	prepare []string // runs before kubeadm
}

func (n node) validate() error {
	for name, value := range n.PKI {
		if path.IsAbs(name) || path.Clean(name) != name || strings.HasPrefix(name, "..") {
			return fmt.Errorf("pki has %q, expected a path below %s such as \"etcd/ca.crt\"", name, pkiDir)
		}
		if value == "" {
			return fmt.Errorf("pki has nothing for %q, expected its content", name)
		}
	}
	return checkDuration("wait", n.Wait, "5m")
}

// nodeState is the state of the node.
type nodeState struct {
	marker                  string // started or resumed with a hash, done, or empty
	admin, kubelet, planned bool   // admin.conf, kubelet.conf, anything in manifests
	answers                 bool   // the API server is ready, or has the node
	login                   bool   // the login of a join exists
	begun                   bool   // an interrupted init can be continued
	data                    bool   // etcd has data
}

// interrupted reports whether kubeadm started and did not succeed.
func (s nodeState) interrupted() bool {
	return s.made() && s.unfinished()
}

// made reports whether kubeadm has left any files.
func (s nodeState) made() bool { return s.admin || s.kubelet || s.planned }

func readNode(ctx context.Context, h module.Host) (nodeState, error) {
	var s nodeState
	var err error
	if s.marker, _, err = hostfile.Read(ctx, h, markerFile); err != nil {
		return s, err
	}
	if s.admin, err = hostfile.Exists(ctx, h, adminConf); err != nil {
		return s, err
	}
	if s.kubelet, err = hostfile.Exists(ctx, h, kubeletConf); err != nil {
		return s, err
	}
	entries, err := h.Files().List(ctx, manifestsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("list %s: %w", manifestsDir, err)
	}
	s.planned = len(entries) > 0
	s.data, err = hostfile.Exists(ctx, h, etcdData)
	return s, err
}

// unfinished reports whether the marker is that of a kubeadm init or join that did not end: what it wrote may be deleted.
func (s nodeState) unfinished() bool {
	return strings.HasPrefix(s.marker, started) || strings.HasPrefix(s.marker, resumed)
}

// loss returns the error of a node with data of etcd that a reset would delete, and that no unfinished kubeadm init or join has
// written. kubeadm reset deletes the data also where it is not kubeadm's.
func (s nodeState) loss(h module.Host) error {
	switch {
	case !s.data || s.unfinished():
		return nil
	case s.marker == done:
		return fmt.Errorf("%s has data of etcd in %s, but its files in /etc/kubernetes are missing: bring them back from a backup. "+
			"If another controller has the cluster's data, recreate the node with kinit replace", h.Name(), path.Dir(etcdData))
	}
	return fmt.Errorf("%s has data of etcd in %s that kinit did not write, and kubeadm would delete it: "+
		"move it away, or remove it if nothing needs it", h.Name(), path.Dir(etcdData))
}

// begin returns the step of a command of kubeadm on a node that is not made, or whose making was interrupted.
func (s nodeState) begin(h module.Host, command string, do func(context.Context, module.Host) error) ([]module.Step, error) {
	switch {
	case s.interrupted():
		return module.OneStep("reset the interrupted kubeadm "+command+" on "+h.Name()+" and run it again", do), nil
	case s.made():
		return nil, foreign(h)
	}
	if err := s.loss(h); err != nil {
		return nil, err
	}
	return module.OneStep("kubeadm "+command+" on "+h.Name(), do), nil
}

// foreign is the error for a node that somebody else made.
func foreign(h module.Host) error {
	return fmt.Errorf("%s is a Kubernetes node already and was not made by kinit: "+
		"run \"kubeadm reset\" on it if nothing needs it", h.Name())
}

// run resets the rest of a run that was interrupted or has failed, writes the certificates and
// runs kubeadm. It writes the marker before and after. Without a reset, kubeadm refuses files that
// it has written before it failed, even if the node is not yet made.
func (n node) run(ctx context.Context, h module.Host, s nodeState, args ...string) error {
	if s.marker != "" {
		if err := n.reset(ctx, h); err != nil {
			return err
		}
	}
	if err := hostfile.Parents(ctx, h, markerFile); err != nil {
		return err
	}
	if err := n.mark(ctx, h, started); err != nil {
		return err
	}
	if err := n.writePKI(ctx, h); err != nil {
		return err
	}
	if len(n.prepare) > 0 {
		if _, err := h.Run(ctx, module.Command{Argv: n.prepare}); err != nil {
			return fmt.Errorf("prepare the node: %w", err)
		}
	}
	return n.call(ctx, h, args, n.SkipPhases)
}

// args returns kubeadm's arguments with a configuration.
func (n node) args(config string, args, skipPhases []string) []string {
	args = append(args, "--config", config)
	if len(n.IgnorePreflight) > 0 {
		args = append(args, "--ignore-preflight-errors", strings.Join(n.IgnorePreflight, ","))
	}
	if len(skipPhases) > 0 {
		args = append(args, "--skip-phases", strings.Join(skipPhases, ","))
	}
	return args
}

// mark writes the marker with the hash of the configuration.
func (n node) mark(ctx context.Context, h module.Host, state string) error {
	hash, err := hashOf(ctx, h, n.Config)
	if err != nil {
		return err
	}
	return hostfile.Write(ctx, h, markerFile, state+" "+hash+"\n", module.Attr{Mode: 0o600})
}

// hashOf returns the SHA-256 of a file in hex.
func hashOf(ctx context.Context, h module.Host, name string) (string, error) {
	text, _, err := hostfile.Read(ctx, h, name)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), err
}

// finish waits for the node and records its completion.
func (n node) finish(ctx context.Context, h module.Host, what string, ask func(context.Context) (bool, error)) error {
	h.Report(event.Progress{Text: "wait for " + what})
	if err := kubeapi.Wait(ctx, h, n.Wait.Time(), ask); err != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return hostfile.Write(ctx, h, markerFile, done, module.Attr{Mode: 0o600})
}

// reset resets the node. kubeadm leaves the marker, which is removed last, so that
// an interrupted reset is repeated.
func (n node) reset(ctx context.Context, h module.Host) error {
	args := []string{"reset", "--force"}
	if n.CRISocket != "" {
		args = append(args, "--cri-socket", n.CRISocket)
	}
	if err := kubeadm(ctx, h, "kubeadm", args...); err != nil {
		return err
	}
	if err := h.Files().Remove(ctx, markerFile); err != nil {
		return fmt.Errorf("remove %s: %w", markerFile, err)
	}
	return nil
}

// writePKI writes the certificates and keys for kubeadm. A reset has deleted them.
func (n node) writePKI(ctx context.Context, h module.Host) error {
	for _, name := range slices.Sorted(maps.Keys(n.PKI)) {
		full, mode := path.Join(pkiDir, name), module.Attr{Mode: 0o644}
		if strings.HasSuffix(name, ".key") {
			mode.Mode = 0o600
		}
		if err := h.Files().Mkdir(ctx, path.Dir(full), module.Attr{}); err != nil {
			return fmt.Errorf("make folder %s: %w", path.Dir(full), err)
		}
		if err := hostfile.Write(ctx, h, full, n.PKI[name].Reveal(), mode); err != nil {
			return err
		}
	}
	return nil
}

// kubeadm runs kubeadm, a program by its name or path, and reports the phase it is in: its lines
// begin with the phase's name in brackets.
func kubeadm(ctx context.Context, h module.Host, program string, args ...string) error {
	_, err := h.Run(ctx, module.Command{
		Argv: append([]string{program}, args...),
		Line: func(line string) {
			if phase, text, found := strings.Cut(line, "] "); found && strings.HasPrefix(phase, "[") && text != "" {
				h.Report(event.Progress{Text: phase[1:] + ": " + strings.ToLower(text[:1]) + text[1:]})
			}
		},
	})
	if module.Exited(err) {
		return fmt.Errorf("kubeadm %s: %w", args[0], err)
	}
	return err
}

// absent resets a node that kinit has made completely or partly.
func (n node) absent(h module.Host, s nodeState) ([]module.Step, error) {
	switch {
	case s.marker == "" && s.made():
		return nil, foreign(h)
	case s.marker == "":
		return nil, nil
	}
	return module.OneStep("reset kubernetes node "+h.Name(), n.reset), nil
}
