// Package containerd is containerd.exe: the runtime that the kubelet talks to. It runs no
// containers.
package containerd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// Pipe is the pipe that containerd listens on by default.
const Pipe = "containerd-containerd"

// Runtime is what those who connect to containerd's pipe talk to.
type Runtime struct {
	machine         *machine.Machine
	Version         string
	config, address string
	binDirs         []string
	confDir         string
}

// containerdFlags are those that matter on Windows (cmd/containerd/command).
func containerdFlags() cli.Set {
	return cli.Set{
		Values:   []string{"config", "c", "log-level", "l", "address", "a", "root", "state", "service-name", "log-file"},
		Switches: []string{"register-service", "unregister-service", "run-service", "version", "v", "help", "h"},
	}
}

// Program is containerd.exe.
func Program(ctx context.Context, p *machine.Process) uint32 {
	f, err := containerdFlags().Parse(p.Args)
	if err != nil {
		cli.Complain(p, "Incorrect Usage: %v", err)
		return 1
	}
	switch {
	case f.On("version") || f.On("v"):
		cli.Say(p, "containerd github.com/containerd/containerd/v2 v%s kinit-winsim", strings.TrimPrefix(p.Version, "v"))
	case f.On("register-service"):
		err = registerContainerd(p, f)
	case f.On("unregister-service"):
		err = p.Machine.Services.Delete(f.Get("service-name", "containerd"))
	case slices.Equal(f.Args, []string{"config", "default"}):
		fmt.Fprint(p.Stdout, defaultContainerd())
	case len(f.Args) > 0:
		p.Machine.Unknown("containerd %s", strings.Join(p.Args, " "))
		return 1
	default:
		err = runContainerd(ctx, p, f)
	}
	if err != nil {
		cli.Complain(p, "containerd: %v", err)
		return 1
	}
	return 0
}

// registerContainerd makes the service as containerd's own code does: automatic, and
// started again when it fails.
func registerContainerd(p *machine.Process, f cli.Flags) error {
	line := []string{p.Image, "--run-service"}
	for _, name := range []string{"config", "log-level", "address", "root", "state", "service-name", "log-file"} {
		if f.Has(name) {
			line = append(line, "--"+name, f.Get(name, ""))
		}
	}
	restart := scm.Action{Type: scm.Restart, Delay: 15 * time.Second}
	err := p.Machine.Services.Create(scm.Config{
		Name: f.Get("service-name", "containerd"), DisplayName: "containerd", Description: "Container runtime",
		Image: machine.JoinArgs(line), Start: scm.Auto,
		Failure: scm.Failure{Reset: 24 * time.Hour, Actions: []scm.Action{restart, restart, {Type: scm.DoNothing}}},
	})
	if errors.Is(err, winerr.ServiceExists) {
		return errors.New(p.Machine.Text(winerr.ServiceExists))
	}
	return err
}

// runContainerd serves until it is stopped.
func runContainerd(ctx context.Context, p *machine.Process, f cli.Flags) error {
	path := cli.Whole(p, f.Get("config", f.Get("c", p.Env.Get("ProgramFiles")+`\containerd\config.toml`)))
	r := &Runtime{machine: p.Machine, Version: p.Version, config: path}
	if err := r.configure(p); err != nil {
		return err
	}
	address := f.Get("address", f.Get("a", r.address))
	release, err := p.Machine.Bind(machine.Pipe(pipeName(address)), p, r)
	if err != nil {
		return err
	}
	defer release()
	if p.Service != nil && f.On("run-service") {
		p.Service.Running()
	}
	<-ctx.Done()
	return nil
}

// pipeName is the name of a pipe in the forms \\.\pipe\name and npipe:////./pipe/name.
func pipeName(address string) string {
	return address[strings.LastIndexAny(address, `\/`)+1:]
}

// configure reads the configuration file, or takes the defaults where there is none.
func (r *Runtime) configure(p *machine.Process) error {
	programs := p.Env.Get("ProgramFiles") + `\containerd\cni\`
	r.binDirs, r.confDir, r.address = []string{programs + "bin"}, programs+"conf", Pipe
	text, err := p.Machine.Files.ReadFile(r.config)
	if errors.Is(err, winerr.FileNotFound) || errors.Is(err, winerr.PathNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	config, err := parseTOML(string(text))
	if err != nil {
		return fmt.Errorf("failed to load TOML: %s: %w", r.config, err)
	}
	for key, value := range config {
		switch {
		case strings.HasSuffix(key, ".cni.bin_dir") && value.text != "":
			r.binDirs = []string{cli.Whole(p, value.text)}
		case strings.HasSuffix(key, ".cni.bin_dirs") && len(value.list) > 0:
			r.binDirs = value.list
		case strings.HasSuffix(key, ".cni.conf_dir") && value.text != "":
			r.confDir = cli.Whole(p, value.text)
		case key == "grpc.address" && value.text != "":
			r.address = value.text
		}
	}
	return nil
}

// Ready tells why the runtime cannot run containers, or nothing.
func (r *Runtime) Ready() error {
	if r.machine.Features.State("Containers") != feature.Installed {
		return errors.New("the feature Containers is not installed")
	}
	status, err := r.machine.Services.Status("vmcompute")
	if err != nil || status.State != scm.Running {
		return errors.New("the Hyper-V Host Compute Service does not run")
	}
	return nil
}

// errNoCNI is what the runtime says as long as there is no network for pods.
var errNoCNI = errors.New("container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized")

// Network tells why pods have no network, or nothing: the first configuration must be
// good, and its plugins must be there.
func (r *Runtime) Network() error {
	entries, err := r.machine.Files.List(r.confDir)
	if err != nil {
		return errNoCNI
	}
	for _, entry := range entries {
		if !hasSuffix(entry.Name, ".conf", ".conflist", ".json") {
			continue
		}
		return r.checkCNI(entry.Path)
	}
	return errNoCNI
}

func hasSuffix(name string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(strings.ToLower(name), s) })
}

// checkCNI looks at one configuration.
func (r *Runtime) checkCNI(path string) error {
	text, err := r.machine.Files.ReadFile(path)
	if err != nil {
		return err
	}
	type plugin struct {
		Type     string         `json:"type"`
		Delegate map[string]any `json:"delegate"`
	}
	var config struct {
		Name string `json:"name"`
		plugin
		Plugins []plugin `json:"plugins"`
	}
	if err := json.Unmarshal(text, &config); err != nil || config.Name == "" {
		return errNoCNI
	}
	all := config.Plugins
	if len(all) == 0 {
		all = []plugin{config.plugin}
	}
	for _, one := range all {
		names := []string{one.Type}
		if delegate, ok := one.Delegate["type"].(string); ok {
			names = append(names, delegate)
			if err := checkHNSPlugin(delegate, one.Delegate); err != nil {
				return err
			}
		}
		for _, name := range names {
			if err := r.findPlugin(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHNSPlugin refuses a configuration of win-overlay or win-bridge with which no pod starts.
// The plugins ignore keys that they do not know, and take version 1 of the Host Network Service
// by default, which has no endpoints for containerd's namespaces (pkg/hns/netconf_windows.go and
// endpoint_windows.go of the plugins). Windows says so when a pod starts; this runs no pods.
func checkHNSPlugin(plugin string, delegate map[string]any) error {
	known := []string{"type", "name", "cniVersion", "apiVersion", "policies", "loopbackDSR", "runtimeConfig", "capabilities", "dns", "ipam"}
	switch plugin {
	case "win-overlay":
		known = append(known, "ipMasq", "endpointMacPrefix")
	case "win-bridge":
		known = append(known, "ipMasqNetwork")
	default:
		return nil
	}
	for key := range delegate {
		if !slices.Contains(known, key) {
			return fmt.Errorf("cni plugin %s does not read %q, so pods would start without it", plugin, key)
		}
	}
	if version, _ := delegate["apiVersion"].(float64); version != 2 {
		return fmt.Errorf("cni plugin %s without \"apiVersion\": 2: no pod could start: failed to find HNSEndpoint", plugin)
	}
	policies, _ := delegate["policies"].([]any)
	for _, item := range policies {
		policy, _ := item.(map[string]any)
		value, _ := policy["value"].(map[string]any)
		if policy["name"] != "EndpointPolicy" || value["Type"] == nil || value["Settings"] == nil {
			return fmt.Errorf("cni plugin %s: a policy of version 2 has \"name\": \"EndpointPolicy\" and a value with Type and Settings, not %v", plugin, item)
		}
	}
	return nil
}

// findPlugin looks for a plugin's program in the folders of the configuration.
func (r *Runtime) findPlugin(name string) error {
	for _, folder := range r.binDirs {
		head, err := r.machine.Head(folder + `\` + name + ".exe")
		if err != nil {
			continue
		}
		if _, _, ok := machine.Identify(head); ok {
			return nil
		}
	}
	return fmt.Errorf("container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "+
		"message:Network plugin returns error: failed to find plugin %q in path %v", name, r.binDirs)
}

// Connect returns the runtime that listens on a pipe.
func Connect(m *machine.Machine, endpoint string) (*Runtime, error) {
	l, ok := m.Bound(machine.Pipe(pipeName(endpoint)))
	if !ok {
		return nil, fmt.Errorf("failed to create new CRI runtime service: validate service connection: "+
			"validate CRI v1 runtime API for endpoint %q: rpc error: code = Unavailable desc = connection error: "+
			"desc = \"transport: Error while dialing: open //./pipe/%s: The system cannot find the file specified.\"", endpoint, pipeName(endpoint))
	}
	r, ok := l.Service.(*Runtime)
	if !ok {
		return nil, fmt.Errorf("no container runtime listens on %s", endpoint)
	}
	return r, nil
}
