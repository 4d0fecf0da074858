package kubeadm

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"regexp"

	"go.yaml.in/yaml/v3"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

//go:embed upgrade.sh
var switchScript string

// upgradeFile is kubeadm's configuration while it upgrades.
const upgradeFile = "/etc/kubernetes/kinit-upgrade.yaml"

// UpgradeTask is a node of a cluster that kubeadm has made, with another version of Kubernetes than before.
//
// kubeadm of the new version upgrades what the node runs: on a controller the static pods, on the first
// one the cluster's configuration too, and when all controllers have the version, kube-proxy and CoreDNS. Then the node gets
// the new programs and its kubelet starts again. The kubelet is last, so a node whose kubelet has the version is done, and an
// interrupted upgrade is done again. Nodes should be drained before (kubectl_drain), and follow one by one, as
// with serial = 1; the first controller is the first one.
//
// Errors:
//   - programs lacks a program
//   - kubeadm fails; the error has its last lines
//   - the static pods or the kubelet do not have the version, or are not ready, within wait
type UpgradeTask struct {
	// Version is the version that the node gets, such as "v1.34.4". What a distribution appends counts for kubeadm and its images, and not for kubelets, which may name it in another way.
	Version string `hcl:"version"`
	// Programs is a folder on the host with kubeadm, kubelet and kubectl of this version. They are removed there when the node has them.
	Programs string `hcl:"programs" path:"absolute"`
	// First is set on one controller, from which the cluster's configuration is upgraded.
	First bool `hcl:"first,optional"`
	// Config is, on the first controller, a configuration as kubeadm_config writes it for init: its ClusterConfiguration becomes that of the cluster. Default: the cluster keeps its own.
	Config string `hcl:"config,optional"`
	// Patches is a folder with patches of the static pods and of the kubelet's configuration. Default none.
	Patches string `hcl:"patches,optional"`
	// IgnorePreflight are checks whose failure is only a warning, such as "SystemVerification". Default none.
	IgnorePreflight []string `hcl:"ignore_preflight,optional"`
	// Timeouts are kubeadm's own timeouts by their names, such as { upgradeManifests = "10m" }, on a host of ordinary speed; longer on a slower one. Default: kubeadm's.
	Timeouts map[string]string `hcl:"timeouts,optional"`
	// Wait is how long the node can take to be Ready afterwards, such as "5m".
	Wait module.Duration `hcl:"wait,optional" default:"5m"`
}

func UpgradeKind() module.Kind {
	return module.Of[UpgradeTask](module.Kind{Name: "kubeadm_upgrade"})
}

// programs are those that the node gets.
var programs = []string{"kubeadm", "kubelet", "kubectl"}

// binFolder is where a node has the programs of Kubernetes.
const binFolder = "/usr/bin"

var versionPattern = regexp.MustCompile(`^(v1\.[0-9]+\.[0-9]+)([-+].*)?$`)

// base is a version without what a distribution appends.
func base(version string) string { return versionPattern.ReplaceAllString(version, "$1") }

func (t *UpgradeTask) has(is kubeapi.Node) bool { return base(is.Version) == base(t.Version) }

func (t *UpgradeTask) Validate() error {
	if !versionPattern.MatchString(t.Version) {
		return fmt.Errorf("version is %q, expected one such as \"v1.34.4\"", t.Version)
	}
	for _, argument := range []struct{ name, value string }{{"config", t.Config}, {"patches", t.Patches}} {
		if argument.value != "" && !path.IsAbs(argument.value) {
			return fmt.Errorf("%s is %q, expected an absolute path", argument.name, argument.value)
		}
	}
	if t.Config != "" && !t.First {
		return errors.New("config is for the first controller, expected first = true with it")
	}
	return cmp.Or(checkTimeouts(t.Timeouts), checkDuration("wait", t.Wait, "5m"))
}

// Plan asks the API server for the version of the node's kubelet.
func (t *UpgradeTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	is, err := ownNode(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.has(is) && is.Ready {
		return nil, nil
	}
	if t.has(is) {
		return []module.Step{module.NewWait("wait for "+h.Name()+" to be Ready with "+t.Version, t.settled)}, nil
	}
	return module.OneStep(fmt.Sprintf("upgrade %s from %s to %s", h.Name(), is.Version, t.Version), t.do), nil
}

// ownNode asks for the host's node, with the kubelet's own login.
func ownNode(ctx context.Context, h module.Host) (kubeapi.Node, error) {
	config, name, err := kubeletLogin(ctx, h)
	if err != nil {
		return kubeapi.Node{}, err
	}
	return config.GetNode(ctx, h, name)
}

// do can be repeated: each of its parts leaves alone what is done.
func (t *UpgradeTask) do(ctx context.Context, h module.Host) error {
	program := path.Join(t.Programs, "kubeadm")
	for _, name := range programs {
		if there, err := hostfile.Exists(ctx, h, path.Join(t.Programs, name)); err != nil || !there {
			return errors.Join(err, fmt.Errorf("programs: there is no %s in %s", name, t.Programs))
		}
	}
	if t.Config != "" {
		if err := kubeadm(ctx, h, program, "init", "phase", "upload-config", "kubeadm", "--config", t.Config); err != nil {
			return fmt.Errorf("upload the configuration of the cluster: %w", err)
		}
	}
	if err := t.upgrade(ctx, h, program); err != nil {
		return err
	}
	if err := t.pods(ctx, h); err != nil {
		return err
	}
	h.Report(event.Progress{Text: "start the kubelet of " + t.Version})
	if _, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", switchScript, "upgrade", t.Programs, binFolder}}); err != nil {
		return fmt.Errorf("give %s the programs of %s: %w", h.Name(), t.Version, err)
	}
	if _, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "restart", "kubelet.service"}}); err != nil {
		return fmt.Errorf("start the kubelet of %s again: %w", h.Name(), err)
	}
	if err := t.settled(ctx, h); err != nil {
		return err
	}
	return t.drop(ctx, h)
}

// drop removes the programs, which the node has now.
func (t *UpgradeTask) drop(ctx context.Context, h module.Host) error {
	for _, name := range programs {
		for _, suffix := range []string{"", checksum.Suffix} {
			if err := h.Files().Remove(ctx, path.Join(t.Programs, name+suffix)); err != nil {
				return fmt.Errorf("remove %s from %s: %w", name, t.Programs, err)
			}
		}
	}
	return nil
}

// upgrade runs kubeadm with a configuration that exists only for that time.
func (t *UpgradeTask) upgrade(ctx context.Context, h module.Host, program string) error {
	text, err := t.render(module.Gauge(h).Measure(ctx))
	if err != nil {
		return err
	}
	if err := hostfile.Write(ctx, h, upgradeFile, text, module.Attr{Mode: 0o600}); err != nil {
		return err
	}
	args := []string{"upgrade", "node", "--config", upgradeFile}
	if t.First {
		args = []string{"upgrade", "apply", "--yes", "--config", upgradeFile}
	}
	err = kubeadm(ctx, h, program, args...)
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	return errors.Join(err, h.Files().Remove(later, upgradeFile))
}

// render returns kubeadm's UpgradeConfiguration
// (https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/).
func (t *UpgradeTask) render(slow float64) (string, error) {
	given := object{}
	for name, value := range t.Timeouts {
		given[name] = value
	}
	limits, err := stretched(given, max(slow, pace.Ordinary))
	if err != nil {
		return "", err
	}
	part := object{}
	if t.Patches != "" {
		part["patches"] = object{"directory": t.Patches}
	}
	if len(t.IgnorePreflight) > 0 {
		part["ignorePreflightErrors"] = t.IgnorePreflight
	}
	document := object{"apiVersion": kubeadmAPI, "kind": "UpgradeConfiguration", "timeouts": limits, "node": part}
	if t.First {
		part["kubernetesVersion"] = t.Version
		// kubeadm takes what a distribution appends for a release that is not stable.
		part["allowExperimentalUpgrades"] = base(t.Version) != t.Version
		document["apply"] = part
		delete(document, "node")
	}
	text, err := yaml.Marshal(document)
	return string(text), err
}

// settled waits until the node is Ready with the version.
func (t *UpgradeTask) settled(ctx context.Context, h module.Host) error {
	h.Report(event.Progress{Text: "wait for " + h.Name() + " to be Ready with " + t.Version})
	var is kubeapi.Node
	err := kubeapi.Wait(ctx, h, t.Wait.Time(), func(ctx context.Context) (bool, error) {
		now, err := ownNode(ctx, h)
		if err == nil {
			is = now
		}
		return err == nil && t.has(is) && is.Ready, err
	})
	if err != nil {
		return fmt.Errorf("wait for %s to be Ready with %s: it has %s, and Ready is %t: %w", h.Name(), t.Version, is.Version, is.Ready, err)
	}
	return nil
}
