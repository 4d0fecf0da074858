package leave

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
	"kinit/modules"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/nodetest"
)

// driver is where the driver's tasks for Windows and their scripts are.
const driver = "../../../specs/drivers/host"

// gateway is what the driver's tasks take for the way to the overlay: an address of a
// hypervisor, which these machines do not have.
const gateway = "task.facts.underlay[local.services.hypervisor].route_address"

// site is a folder from which a cluster is run that has one node, the machine w1. What runs
// have to lock is on another one.
type site struct {
	folder string
	w1     *nodetest.Node
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{folder: t.TempDir(), w1: nodetest.Start(t)}
	inventory := host(t, s.folder, "h1", nodetest.Start(t)) + host(t, s.folder, "w1", s.w1)
	write(t, s.folder, "inventory.hcl", inventory)
	write(t, s.folder, "site.hcl", read(t, "testdata/site.hcl"))
	write(t, s.folder, "host/windows.hcl", strings.ReplaceAll(read(t, driver+"/windows.hcl"), gateway, `"192.0.2.1"`))
	scripts, err := filepath.Glob(driver + "/files/windows-*.ps1")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("scripts %q, %v", scripts, err)
	}
	for _, script := range scripts {
		write(t, s.folder, "host/files/"+filepath.Base(script), read(t, script))
	}
	return s
}

// host is a block of an inventory for a node that is reached by SSH.
func host(t *testing.T, folder, name string, n *nodetest.Node) string {
	t.Helper()
	write(t, folder, name+".key", n.Key)
	return fmt.Sprintf("host %q {\n  os = \"windows\"\n  address = \"127.0.0.1\"\n  port = %d\n  user = %q\n  host_keys = [%q]\n  identity_file = %q\n}\n",
		name, n.SSH, nodetest.User, strings.TrimSpace(n.HostKey), name+".key")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a spec of the site up to a stage; none is all of it.
func (s *site) run(t *testing.T, spec, stopAfter string) *engine.Report {
	t.Helper()
	return engine.Run(t.Context(), engine.Options{
		Inputs: engine.Inputs{
			Spec: filepath.Join(s.folder, spec), Hosts: []string{"h1"}, Inventories: []string{filepath.Join(s.folder, "inventory.hcl")},
			Cwd: s.folder, StopAfter: stopAfter,
		},
		Home: s.folder, CacheDir: s.folder, Kinds: modules.All(), Redactor: &secret.Redactor{},
	})
}

// must is a run that succeeds, and returns the tasks that changed something.
func (s *site) must(t *testing.T, stopAfter string) []string {
	t.Helper()
	report := s.run(t, "site.hcl", stopAfter)
	var changed []string
	for _, r := range report.Results {
		switch r.Status {
		case event.OK, event.Skipped:
		case event.Changed:
			changed = append(changed, r.Address)
		default:
			t.Errorf("%s is %s: %s", r.Address, r.Status, r.Message)
		}
	}
	if err := report.Diagnostics.Err(); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	return changed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hostsFile is that of Windows.
const hostsFile = `C:\Windows\System32\drivers\etc\hosts`

// environment is the key of the machine's variables.
const environment = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

// furnish gives a machine things of its own where the cluster will have some too.
func furnish(t *testing.T, m *machine.Machine) {
	t.Helper()
	change, err := m.Features.Install([]string{"Containers"}, false, false)
	must(t, err)
	must(t, m.Apply(change))
	must(t, m.Reboot(t.Context()))
	for path, content := range map[string]string{
		`C:\etc\mine`: "mine", `C:\ProgramData\site\pods\mine`: "mine", `C:\ProgramData\site\mine`: "mine",
		hostsFile: "# \xe9\r\n192.0.2.9 db.example", // in no encoding that is told, and without an end
	} {
		must(t, m.Files.Mkdir(path[:strings.LastIndexByte(path, '\\')]))
		must(t, m.Files.WriteFile(path, []byte(content)))
	}
	path, _ := m.Registry.Get(environment, "Path")
	path.Text += `;C:\tools`
	must(t, m.Registry.Set(environment, path, registry.Text("SITE_ZONE", "a")))
	must(t, m.Exclude(machine.Exclusions{Paths: []string{`C:\ProgramData\site`}}))
	must(t, m.Firewall.Add(firewall.Rule{
		Name: "site-shared", DisplayName: "site-shared", Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"10250"},
	}))
}

// facts is what a machine is, without the times of its files.
func facts(t *testing.T, m *machine.Machine) []string {
	t.Helper()
	var all []string
	add := func(kind string, v ...any) { all = append(all, kind+" "+strings.TrimSpace(fmt.Sprintln(v...))) }
	var folder func(path string)
	folder = func(path string) {
		entries, err := m.Files.List(path)
		must(t, err)
		for _, e := range entries {
			security, err := m.Files.Security(e.Path)
			must(t, err)
			if e.IsDir() {
				add("folder", e.Path, e.Attributes, security)
				folder(e.Path)
				continue
			}
			content, err := m.Files.ReadFile(e.Path)
			must(t, err)
			add("file", e.Path, e.Attributes, security, fmt.Sprintf("%.300q", content))
		}
	}
	folder(`C:\`)
	var key func(path string)
	key = func(path string) {
		values, err := m.Registry.Values(path)
		must(t, err)
		add("key", path, fmt.Sprintf("%+v", values))
		names, err := m.Registry.Keys(path)
		must(t, err)
		for _, name := range names {
			key(path + `\` + name)
		}
	}
	key("HKLM")
	for _, name := range m.Services.Names() {
		status, err := m.Services.Status(name)
		must(t, err)
		add("service", name, status.State)
	}
	for _, one := range m.Firewall.Rules() {
		add("rule", fmt.Sprintf("%+v", one))
	}
	for _, one := range m.Tasks() {
		add("task", one.FullName())
	}
	for _, one := range m.Network.Networks() {
		add("network", one.Name)
	}
	for _, one := range m.Network.Adapters() {
		add("adapter", fmt.Sprintf("%+v", one))
	}
	for _, one := range m.Network.Routes() {
		add("route", fmt.Sprintf("%+v", one))
	}
	add("exclusions", fmt.Sprintf("%+v", m.Exclusions()))
	slices.Sort(all)
	return all
}

func TestAMachineThatLeavesIsAsItWas(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	furnish(t, s.w1.Machine)
	before := facts(t, s.w1.Machine)

	s.must(t, "")
	joined := facts(t, s.w1.Machine)
	for _, want := range []string{
		"route {Prefix:10.0.0.0/24 Gateway:192.0.2.1 Persistent:true}", "network site.4096", fmt.Sprint("service site-agent ", scm.Running), `task \kinit\site-flow`,
	} {
		if !slices.Contains(joined, want) {
			t.Errorf("the machine has joined without: %s", want)
		}
	}
	if hosts, _ := s.w1.Files.ReadFile(hostsFile); !strings.HasPrefix(string(hosts), "10.0.0.253 api.site.kinit.local registry.site.kinit.local # kinit site\r\n# \xe9\r\n") {
		t.Errorf("the hosts file is %q", hosts)
	}
	if changed := s.must(t, ""); len(changed) > 0 {
		t.Errorf("the second run changed %q", changed)
	}

	s.must(t, "cleanup")
	if diff := cmp.Diff(before, facts(t, s.w1.Machine)); diff != "" {
		t.Errorf("the machine is not as it was (-before +after):\n%s", diff)
	}
	if changed := s.must(t, "cleanup"); len(changed) > 0 {
		t.Errorf("the second clean-up changed %q", changed)
	}
}

// TestAMachineLeavesAfterAnyPartOfJoining is about runs that ended early.
func TestAMachineLeavesAfterAnyPartOfJoining(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	furnish(t, s.w1.Machine)
	before := facts(t, s.w1.Machine)
	s.must(t, "nodes")
	// The clean-up was interrupted: what it had undone is gone.
	must(t, s.w1.Network.RemoveRoute(s.w1.Network.Routes()[0]))
	must(t, s.w1.Registry.DeleteValue(`HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters\PersistentRoutes`, "10.0.0.0,255.255.255.0,192.0.2.1,1"))
	s.must(t, "cleanup")
	if diff := cmp.Diff(before, facts(t, s.w1.Machine)); diff != "" {
		t.Errorf("the machine is not as it was (-before +after):\n%s", diff)
	}
}

func TestWhatAMachineHasOfItsOwnIsNotReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	m := s.w1.Machine
	for _, c := range []struct {
		what string
		do   func()
		undo func()
		want string
	}{
		{"a service",
			func() {
				must(t, m.Services.Create(scm.Config{Name: "site-agent", DisplayName: "x", Image: `C:\Windows\System32\svchost.exe`, Start: scm.Manual}))
			},
			func() { must(t, m.Services.Delete("site-agent")) },
			"this machine has a service site-agent that kinit did not make"},
		{"a folder",
			func() { must(t, m.Files.Mkdir(`C:\site`)) },
			func() { must(t, m.Files.RemoveAll(`C:\site`, true)) },
			`C:\site is there already, and kinit did not make it. Move it away, or name another machine.`},
		{"a name",
			func() { must(t, m.Files.WriteFile(hostsFile, []byte("192.0.2.8 x API.site.kinit.local # old\r\n"))) },
			func() { must(t, m.Files.WriteFile(hostsFile, nil)) },
			`has the name api.site.kinit.local already, in the line "192.0.2.8 x API.site.kinit.local # old"`},
		{"another cluster",
			func() {
				must(t, m.Files.Mkdir(`C:\ProgramData\kinit\clusters\shop`))
				must(t, m.Files.WriteFile(`C:\ProgramData\kinit\clusters\shop\record.json`, []byte("{}")))
			},
			func() { must(t, m.Files.RemoveAll(`C:\ProgramData\kinit`, true)) },
			`this machine is a node of the cluster "shop". Clean that cluster up first, or name another machine.`},
	} {
		c.do()
		report := s.run(t, "site.hcl", "validate")
		said := ""
		for _, r := range report.Results {
			said += r.Message
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", c.what, said, c.want)
		}
		c.undo()
	}
}
