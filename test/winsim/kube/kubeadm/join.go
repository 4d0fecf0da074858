package kubeadm

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/kubelet"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
)

// bootstrapUser is the name of the user in the bootstrap kubeconfig.
const bootstrapUser = "tls-bootstrap-token-user"

// joining is one run of "kubeadm join".
type joining struct {
	*joinConfiguration
	p       *machine.Process
	cluster rest.Cluster
	api     *rest.Client
	init    clusterConfiguration
	kubelet map[string]any // the KubeletConfiguration
}

// clusterConfiguration is what join needs of kubeadm-config.
type clusterConfiguration struct {
	ImageRepository   string `yaml:"imageRepository"`
	KubernetesVersion string `yaml:"kubernetesVersion"`
}

func join(ctx context.Context, p *machine.Process) error {
	f, err := cli.Set{Values: []string{"config", "ignore-preflight-errors", "skip-phases", "v"}}.Parse(p.Args[1:])
	if err != nil {
		return err
	}
	if !f.Has("config") || len(f.Args) > 0 {
		p.Machine.Unknown("kubeadm join without --config: %s", strings.Join(p.Args, " "))
		return errors.New("only kubeadm join --config is simulated")
	}
	c, err := readJoin(p, f.Get("config", ""))
	if err != nil {
		return err
	}
	j := &joining{joinConfiguration: c, p: p}
	if len(c.Patches) > 0 || c.DryRun {
		p.Machine.Unknown("patches or dryRun of kubeadm join")
		return errors.New("patches and dry runs are not simulated")
	}
	skip := append(slices.Clone(c.SkipPhases), strings.Split(f.Get("skip-phases", ""), ",")...)
	ignore := append(slices.Clone(c.NodeRegistration.IgnorePreflightErrors), strings.Split(f.Get("ignore-preflight-errors", ""), ",")...)
	return j.run(ctx, skip, ignore)
}

func (j *joining) run(ctx context.Context, skip, ignore []string) error {
	if !slices.Contains(skip, "preflight") {
		cli.Say(j.p, "[preflight] Running pre-flight checks")
		if fatal := preflight(j.p, j.joinConfiguration, ignore); len(fatal) > 0 {
			return &preflightError{fatal}
		}
	}
	if err := j.fetch(ctx); err != nil {
		return fmt.Errorf("error execution phase preflight: %w", err)
	}
	defer j.api.Close()
	if err := j.start(ctx); err != nil {
		return fmt.Errorf("error execution phase kubelet-start: %w", err)
	}
	if err := j.wait(ctx); err != nil {
		return fmt.Errorf("error execution phase kubelet-wait-bootstrap: %w", err)
	}
	cli.Say(j.p, "\nThis node has joined the cluster:\n* Certificate signing request was sent to apiserver and a response was received.\n"+
		"* The Kubelet was informed of the new secure connection details.\n\nRun 'kubectl get nodes' on the control-plane to see this node join the cluster.\n")
	return nil
}

// fetch finds the cluster and reads its configuration with the bootstrap token.
func (j *joining) fetch(ctx context.Context) error {
	found, err := discover(ctx, j.p.Machine, j.Discovery.BootstrapToken, j.timeout("discovery", 5*time.Minute))
	if err != nil {
		return err
	}
	j.cluster = found
	authority, err := base64.StdEncoding.DecodeString(found.CAData)
	if err != nil {
		return err
	}
	if j.api, err = rest.NewClient(j.p.Machine, rest.Access{Server: found.Server, CA: authority, Token: j.Discovery.TLSBootstrapToken}); err != nil {
		return err
	}
	cli.Say(j.p, "[preflight] Reading configuration from the \"kubeadm-config\" ConfigMap in namespace \"kube-system\"...")
	if err := j.read(ctx, "kubeadm-config", "ClusterConfiguration", &j.init); err != nil {
		return err
	}
	return j.read(ctx, "kubelet-config", "kubelet", &j.kubelet)
}

// read reads a document of a ConfigMap in kube-system.
func (j *joining) read(ctx context.Context, name, key string, into any) error {
	var found rest.ConfigMap
	ctx, cancel := context.WithTimeout(ctx, j.timeout("kubernetesAPICall", time.Minute))
	defer cancel()
	err := j.api.Get(ctx, "/api/v1/namespaces/kube-system/configmaps/"+name, &found)
	if err != nil {
		return fmt.Errorf("unable to fetch the %s ConfigMap: failed to get config map: %w", name, err)
	}
	if err := yaml.Unmarshal([]byte(found.Data[key]), into); err != nil {
		return fmt.Errorf("the %s ConfigMap: %w", name, err)
	}
	return nil
}

// start writes what the kubelet starts with, and starts it.
func (j *joining) start(ctx context.Context) error {
	user := rest.Auth{Token: j.Discovery.TLSBootstrapToken}
	k := rest.NewKubeconfig(rest.Cluster{Server: j.cluster.Server, CAData: j.cluster.CAData}, "kubernetes", bootstrapUser, user)
	if err := k.Write(j.p.Machine, cli.Whole(j.p, bootstrapConf)); err != nil {
		return fmt.Errorf("couldn't save bootstrap-kubelet.conf to disk: %w", err)
	}
	if err := j.writeCA(); err != nil {
		return fmt.Errorf("couldn't save the CA certificate to disk: %w", err)
	}
	if err := j.checkNode(ctx); err != nil {
		return err
	}
	services := j.p.Machine.Services
	if status, err := services.Status("kubelet"); err == nil && status.State == scm.Running {
		if err := services.Stop(ctx, "kubelet", false); err != nil {
			cli.Complain(j.p, "[kubelet-start] WARNING: unable to stop the kubelet service momentarily: [%v]", err)
		}
	}
	if err := j.writeConfig(); err != nil {
		return err
	}
	cli.Say(j.p, "[kubelet-start] Starting the kubelet")
	if err := services.Start(ctx, "kubelet", "is", "manual-started"); err != nil {
		cli.Complain(j.p, "[kubelet-start] WARNING: unable to start the kubelet service: [couldn't start service kubelet: %v]", err)
		cli.Complain(j.p, "[kubelet-start] Please ensure kubelet is reloaded and running manually.")
	}
	return nil
}

func (j *joining) writeCA() error {
	path := cli.Whole(j.p, j.CACertPath)
	if _, err := j.p.Machine.Files.Stat(path); err == nil {
		return nil
	}
	text, err := base64.StdEncoding.DecodeString(j.cluster.CAData)
	if err != nil {
		return err
	}
	if err := j.p.Machine.Files.Mkdir(cli.FolderOf(path)); err != nil {
		return err
	}
	return j.p.Machine.Files.WriteFile(path, text)
}

// checkNode refuses a name that a node has which is ready.
func (j *joining) checkNode(ctx context.Context) error {
	name := j.registeredName()
	var found rest.Node
	err := j.api.Get(ctx, "/api/v1/nodes/"+name, &found)
	if rest.IsReason(err, "NotFound") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot get Node %q: %w", name, err)
	}
	for _, c := range found.Status.Conditions {
		if c.Type == "Ready" && c.Status == "True" {
			return fmt.Errorf("a Node with name %q and status %q already exists in the cluster. You must delete the existing Node or change the name of this new joining Node", name, "Ready")
		}
	}
	return nil
}

// writeConfig writes the kubelet's configuration and its flags.
func (j *joining) writeConfig() error {
	drive := j.p.Image[:2]
	adaptPaths(j.kubelet, drive)
	j.kubelet["containerRuntimeEndpoint"] = j.NodeRegistration.CRISocket
	config, err := yaml.Marshal(j.kubelet)
	if err != nil {
		return err
	}
	instance := fmt.Sprintf("containerRuntimeEndpoint: %q\n", j.NodeRegistration.CRISocket)
	flags := fmt.Sprintf("KUBELET_KUBEADM_ARGS=%q\n", strings.Join(j.kubeletFlags(), " "))
	for _, file := range []struct{ name, what, text string }{
		{"instance-config.yaml", "kubelet configuration", instance},
		{"config.yaml", "kubelet configuration", string(config)},
		{"kubeadm-flags.env", "kubelet environment file with flags", flags},
	} {
		path := kubelet.Dir + "/" + file.name
		cli.Say(j.p, "[kubelet-start] Writing %s to file %q", file.what, path)
		if err := j.p.Machine.Files.Mkdir(cli.Whole(j.p, kubelet.Dir)); err != nil {
			return err
		}
		if err := j.p.Machine.Files.WriteFile(cli.Whole(j.p, path), []byte(file.text)); err != nil {
			return err
		}
	}
	return nil
}

// adaptPaths does what kubeadm's Mutate does on Windows: paths of a Linux node get the
// drive, and there is no resolv.conf.
func adaptPaths(kubelet map[string]any, drive string) {
	kubelet["resolvConf"] = ""
	adapt := func(fields map[string]any, name string) {
		if path, ok := fields[name].(string); ok && strings.HasPrefix(path, "/") {
			fields[name] = ntfs.Join(drive+`\`, path)
		}
	}
	adapt(kubelet, "staticPodPath")
	if authentication, ok := kubelet["authentication"].(map[string]any); ok {
		if x509, ok := authentication["x509"].(map[string]any); ok {
			adapt(x509, "clientCAFile")
		}
	}
}

// pauseVersion is the pause image's of kubeadm 1.34.
const pauseVersion = "3.10.1"

// kubeletFlags are those of kubeadm-flags.env, in order.
func (j *joining) kubeletFlags() []string {
	repository := cmp.Or(j.init.ImageRepository, "registry.k8s.io")
	values := map[string]string{"pod-infra-container-image": repository + "/pause:" + pauseVersion}
	var taints []string
	for _, t := range j.NodeRegistration.Taints {
		taints = append(taints, t.String())
	}
	if len(taints) > 0 {
		values["register-with-taints"] = strings.Join(taints, ",")
	}
	if name := j.registeredName(); name != kubelet.NodeName(j.p.Machine) {
		values["hostname-override"] = name
	}
	for _, a := range j.NodeRegistration.KubeletExtraArgs {
		values[a.Name] = a.Value
	}
	var list []string
	for name, value := range values {
		list = append(list, "--"+name+"="+value)
	}
	slices.Sort(list)
	return list
}

// wait waits until the kubelet is well and has its certificate.
func (j *joining) wait(ctx context.Context) error {
	defer func() { _ = j.p.Machine.Files.Remove(cli.Whole(j.p, bootstrapConf), true) }()
	limit := j.timeout("kubeletHealthCheck", 4*time.Minute)
	endpoint := fmt.Sprintf("http://127.0.0.1:%d/healthz", kubelet.HealthPort)
	cli.Say(j.p, "[kubelet-check] Waiting for a healthy kubelet at %s. This can take up to %v", endpoint, limit)
	if !cli.Until(ctx, limit, func() bool { return healthy(j.p.Machine) }) {
		cli.Say(j.p, "\nUnfortunately, an error has occurred, likely caused by:\n\t- The kubelet is not running\n"+
			"\t- The kubelet is unhealthy due to a misconfiguration of the node in some way (required cgroups disabled)\n")
		return fmt.Errorf("failed while waiting for the kubelet to start: The HTTP call equal to 'curl -sSL %s' returned error: connectex: No connection could be made because the target machine actively refused it", endpoint)
	}
	cli.Say(j.p, "[kubelet-check] The kubelet is healthy")
	cli.Say(j.p, "[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap")
	done := cli.Until(ctx, j.timeout("tlsBootstrap", 5*time.Minute), func() bool {
		_, err := rest.ReadKubeconfig(j.p.Machine, cli.Whole(j.p, kubeletConf))
		return err == nil
	})
	if !done {
		return errors.New("failed while waiting for TLS bootstrap: timed out waiting for the condition")
	}
	return nil
}

// healthy reports whether a kubelet says that it is well.
func healthy(m *machine.Machine) bool {
	_, ok := m.Bound(machine.TCP(kubelet.HealthPort))
	return ok
}
