package sweep_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules"
	"kinit/modules/sweep"
)

func task(change func(*sweep.Task)) *sweep.Task {
	made := sweep.Kind(module.MarkKinds(modules.All())).New().(*sweep.Task)
	if change != nil {
		change(made)
	}
	return made
}

func all(t *sweep.Task) { t.All = true }

// host is a machine with marks, and programs that only say that they ran.
func host(t *testing.T, marks ...module.Mark) *moduletest.FakeHost {
	t.Helper()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/os-release", "ID=debian\n", 0o644)
	for _, m := range marks {
		if err := h.Own(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		switch c.Argv[0] {
		case "systemctl":
			if c.Argv[1] == "show" {
				return moduletest.Reply{Stdout: "loaded\n"}, true
			}
			return moduletest.Reply{Changes: true}, true
		case "tee", "apt-get":
			if strings.Contains(c.Line(), "--simulate") {
				out := ""
				if strings.Contains(c.Line(), "engine") {
					out = "Remv engine [4.3.1]\nRemv database [1.0]\n"
				}
				return moduletest.Reply{Stdout: out}, true
			}
			return moduletest.Reply{Changes: true}, true
		case "dpkg-query":
			return moduletest.Reply{Stdout: "podman\tii \t4.3.1\nengine\tii \t4.3.1\n"}, true
		case "apt-mark":
			return moduletest.Reply{}, true
		case "nft":
			if strings.Contains(c.Line(), "--stateless list") {
				return moduletest.Reply{Stdout: "table inet kinit_k8s {\n\tcomment \"kinit.owner=k8s\"\n}\n"}, true
			}
			if strings.Contains(c.Line(), "list") {
				return moduletest.Reply{Stdout: `{"nftables": [{"table": {"family": "inet", "name": "kinit_k8s"}}]}`}, true
			}
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

// everything is one mark of each kind.
func everything() []module.Mark {
	return []module.Mark{
		{Kind: "package", ID: "podman", Keep: true},
		{Kind: "directory", ID: "/opt/lab"},
		{Kind: "file", ID: "/opt/lab/config"},
		{Kind: "file", ID: "/etc/hosts", Prior: "/etc/hosts.kinit-backup"},
		{Kind: "download", ID: "/opt/lab/base.iso", Keep: true},
		{Kind: "download", ID: "/opt/lab/tool"},
		{Kind: "sysctl", ID: "net.ipv4.ip_forward", Prior: "0"},
		{Kind: "service", ID: "libvirtd.service", Prior: `{"enabled":true,"active":false}`},
		{Kind: "unit", ID: "kinit-nft.service"},
		{Kind: "nft_table", ID: "inet kinit_k8s"},
	}
}

// populate makes the files of everything.
func populate(h *moduletest.FakeHost) {
	for _, name := range []string{
		"/opt/lab/config", "/etc/hosts", "/etc/hosts.kinit-backup", "/opt/lab/base.iso", "/opt/lab/tool",
		"/proc/sys/net/ipv4/ip_forward", "/etc/systemd/system/kinit-nft.service",
	} {
		h.FS.Put(name, "of "+name, 0o644)
	}
	mark(h, "k8s", "unit", "x.json", "kinit-nft.service")
}

func TestEverythingIsUndoneTheLastFirst(t *testing.T) {
	t.Parallel()
	h := host(t, everything()...)
	populate(h)
	want := []string{
		"remove nft table inet kinit_k8s",
		"remove unit kinit-nft.service",
		"bring service libvirtd.service back to how it was",
		"bring kernel parameter net.ipv4.ip_forward back to how it was",
		"remove download /opt/lab/tool",
		"bring file /etc/hosts back from /etc/hosts.kinit-backup",
		"remove file /opt/lab/config",
		"remove folder /opt/lab unless others use it",
		"remove the manifest of cluster k8s; these stay: package podman, download /opt/lab/base.iso",
	}
	moduletest.WantTexts(t, task(all), h, want...)
	moduletest.Settle(t, task(all), h)
	wantChanges := []string{
		"nft delete table inet kinit_k8s",
		"systemctl disable --now -- kinit-nft.service", "systemctl daemon-reload",
		"systemctl unmask -- libvirtd.service", "systemctl enable -- libvirtd.service", "systemctl stop -- libvirtd.service",
		"tee -- /proc/sys/net/ipv4/ip_forward",
	}
	if diff := cmp.Diff(wantChanges, h.Changes()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if text, _ := h.FS.Text("/etc/hosts"); text != "of /etc/hosts.kinit-backup" {
		t.Errorf("/etc/hosts is %q, want what was there before", text)
	}
	for name, want := range map[string]bool{"/opt/lab/config": false, "/opt/lab/tool": false, "/opt/lab/base.iso": true, "/etc/systemd/system/kinit-nft.service": false} {
		if _, there := h.FS.Text(name); there != want {
			t.Errorf("%s is there: %v, want %v", name, there, want)
		}
	}
	if _, err := h.FS.Stat(t.Context(), "/var/lib/kinit"); err == nil {
		t.Error("the folder of the manifests is still there")
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	h := host(t, everything()...)
	populate(h)
	moduletest.Run(t, moduletest.Case{
		Host: h, New: func() module.Task { return task(func(t *sweep.Task) { t.All, t.Purge = true, true }) },
	})
}

func TestPurgeTakesPackagesAndImagesToo(t *testing.T) {
	t.Parallel()
	h := host(t, everything()...)
	populate(h)
	moduletest.Settle(t, task(func(t *sweep.Task) { t.All, t.Purge = true, true }), h)
	changes := h.Changes()
	want := "apt-get -y -q -o 'DPkg::Lock::Timeout=300' -o 'Dpkg::Options::=--force-confdef' -o 'Dpkg::Options::=--force-confold' purge --no-auto-remove -- podman"
	if got := changes[len(changes)-1]; got != want {
		t.Errorf("last command %s, want %s", got, want)
	}
	if _, err := h.FS.Stat(t.Context(), "/opt/lab"); err == nil {
		t.Error("the folder is still there")
	}
}

func TestWhatIsStillDeclaredStays(t *testing.T) {
	t.Parallel()
	h := host(t, everything()...)
	populate(h)
	keep := task(func(t *sweep.Task) {
		t.Keep = []string{"/opt/lab", "/opt/lab/config", "/etc/hosts", "net.ipv4.ip_forward", "libvirtd.service", "kinit-nft.service", "inet kinit_k8s"}
	})
	want := []string{"remove download /opt/lab/tool"}
	moduletest.WantTexts(t, keep, h, want...)
	moduletest.Settle(t, keep, h)
}

func TestFolderWithOthersFilesStays(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "directory", ID: "/opt/shared"}, module.Mark{Kind: "directory", ID: "/var/lib/kinit/clusters/k8s/web"})
	h.FS.Put("/opt/shared/theirs", "", 0o644)
	h.FS.Put("/var/lib/kinit/clusters/k8s/web/cache/part", "", 0o644)
	moduletest.Settle(t, task(all), h)
	if _, there := h.FS.Text("/opt/shared/theirs"); !there {
		t.Error("somebody's file is gone")
	}
	if _, err := h.FS.Stat(t.Context(), "/var/lib/kinit/clusters/k8s/web"); err == nil {
		t.Error("a folder of kinit's own is still there")
	}
}

// mark puts a mark into a manifest on the host, as the engine keeps it.
func mark(h *moduletest.FakeHost, owner, kind, file, id string) {
	h.FS.Put("/var/lib/kinit/clusters/"+owner+"/owned/"+kind+"/"+file, `{"kind": "`+kind+`", "id": "`+id+`", "seq": "1"}`, 0o600)
}

func TestThingsOfAnotherClusterStay(t *testing.T) {
	t.Parallel()
	h := host(t,
		module.Mark{Kind: "file", ID: "/opt/common"}, module.Mark{Kind: "file", ID: "/opt/own"},
		module.Mark{Kind: "service", ID: "libvirtd.service", Prior: `{}`}, module.Mark{Kind: "directory", ID: "/var/lib/kinit/x"})
	h.FS.Put("/opt/common", "", 0o644)
	h.FS.Put("/opt/own", "", 0o644)
	h.FS.Put("/var/lib/kinit/x/theirs", "", 0o644)
	mark(h, "k8s", "service", "libvirtd.service.json", "libvirtd.service")
	mark(h, "other", "file", "%2Fopt%2Fcommon.json", "/opt/common")
	mark(h, "other", "file", "%2Fx.json", "/var/lib/kinit/x/theirs")
	want := []string{
		"hand folder /var/lib/kinit/x over to cluster other",
		"hand service libvirtd.service over to cluster other",
		"remove file /opt/own",
		"leave file /opt/common to cluster other, which has it too",
		"remove the manifest of cluster k8s",
	}
	moduletest.WantTexts(t, task(all), h, want...)
	moduletest.Settle(t, task(all), h)
	for name, want := range map[string]bool{
		"/opt/common": true, "/opt/own": false, "/var/lib/kinit/x/theirs": true,
		"/var/lib/kinit/clusters/other/owned/service/libvirtd.service.json": true,
		"/var/lib/kinit/clusters/k8s/owned/service/libvirtd.service.json":   false,
	} {
		if _, there := h.FS.Text(name); there != want {
			t.Errorf("%s is there: %v, want %v", name, there, want)
		}
	}
	if got := h.Changes(); len(got) > 0 {
		t.Errorf("commands %v, want none", got)
	}
}

func TestSharedFilesGoWithTheLastCluster(t *testing.T) {
	t.Parallel()
	h := host(t,
		module.Mark{Kind: "directory", ID: "/var/lib/kinit/shared"},
		module.Mark{Kind: "directory", ID: "/var/lib/kinit/shared/overlay"},
		module.Mark{Kind: "file", ID: "/var/lib/kinit/shared/overlay/ca.key"})
	h.FS.Put("/var/lib/kinit/shared/overlay/ca.key", "", 0o600)
	mark(h, "k8s", "file", "ca.key.json", "/var/lib/kinit/shared/overlay/ca.key")
	mark(h, "k8s", "directory", "shared.json", "/var/lib/kinit/shared")
	mark(h, "k8s", "directory", "overlay.json", "/var/lib/kinit/shared/overlay")
	alone := moduletest.Texts(t, task(all), h)
	mark(h, "other", "sysctl", "x.json", "net.ipv4.ip_forward")
	want := []string{
		"hand file /var/lib/kinit/shared/overlay/ca.key over to cluster other",
		"hand folder /var/lib/kinit/shared/overlay over to cluster other",
		"hand folder /var/lib/kinit/shared over to cluster other",
		"remove the manifest of cluster k8s",
	}
	moduletest.WantTexts(t, task(all), h, want...)
	want = []string{
		"remove file /var/lib/kinit/shared/overlay/ca.key",
		"remove folder /var/lib/kinit/shared/overlay unless others use it",
		"remove folder /var/lib/kinit/shared unless others use it",
		"remove the manifest of cluster k8s",
	}
	if diff := cmp.Diff(want, alone); diff != "" {
		t.Errorf("steps of the last cluster (-want +got):\n%s", diff)
	}
}

func TestMarksOfUnknownKindsAreCountedAndKeepTheManifest(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "ovs_setting", ID: "ovn-remote"}, module.Mark{Kind: "package", ID: "podman", Keep: true})
	made := task(all)
	if got := moduletest.Texts(t, made, h); len(got) > 0 {
		t.Errorf("steps %v, want none", got)
	}
	values := moduletest.Outputs(t, made, h)
	if count, _ := values["count"].AsBigFloat().Int64(); count != 1 || values["names"].AsValueSlice()[0].AsString() != "ovs_setting ovn-remote" ||
		values["kept"].AsValueSlice()[0].AsString() != "package podman" {
		t.Errorf("outputs %#v", values)
	}
}

func TestThingsOfOtherSweepsAreTheLastResort(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "volume", ID: "/var/lib/libvirt/images/k8s-a.qcow2"}, module.Mark{Kind: "podman_image", ID: "localhost/dns:1"})
	h.On("podman", "image", "inspect", "localhost/dns:1").Fail(127, "podman: not found")
	h.On("podman", "image", "exists", "localhost/dns:1").Fail(127, "podman: not found")
	if got := moduletest.Texts(t, task(nil), h); len(got) > 0 {
		t.Errorf("steps %v, want none", got)
	}
	moduletest.Settle(t, task(all), h)
}

func TestOnlyTheNamedKindsAreUndoneAndCounted(t *testing.T) {
	t.Parallel()
	h := host(t, append(everything(), module.Mark{Kind: "download", ID: "/opt/lab/kept"})...)
	populate(h)
	made := task(func(t *sweep.Task) { t.Kinds, t.Keep = []string{"file", "download"}, []string{"/opt/lab/kept"} })
	want := []string{
		"remove download /opt/lab/tool",
		"bring file /etc/hosts back from /etc/hosts.kinit-backup",
		"remove file /opt/lab/config",
	}
	moduletest.WantTexts(t, made, h, want...)
	moduletest.Settle(t, made, h)
	values := moduletest.Outputs(t, made, h)
	if count, _ := values["count"].AsBigFloat().Int64(); count != 0 || values["kept"].LengthInt() != 1 ||
		values["kept"].AsValueSlice()[0].AsString() != "download /opt/lab/base.iso" {
		t.Errorf("outputs %#v", values)
	}
	if got := h.Changes(); len(got) > 0 {
		t.Errorf("commands %q, want none", got)
	}
}

func TestAllOfSomeKindsLeavesTheManifestOfTheOthers(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "file", ID: "/opt/lab/config"}, module.Mark{Kind: "nft_table", ID: "inet kinit_k8s"})
	made := task(func(t *sweep.Task) { t.All, t.Kinds = true, []string{"file"} })
	moduletest.WantTexts(t, made, h, "remove file /opt/lab/config")
	moduletest.Settle(t, made, h)
	marks, err := h.Marks(t.Context())
	if diff := cmp.Diff([]module.Mark{{Kind: "nft_table", ID: "inet kinit_k8s"}}, marks); err != nil || diff != "" {
		t.Errorf("%v, marks (-want +got):\n%s", err, diff)
	}
}

func TestAnUnknownKindIsRefused(t *testing.T) {
	t.Parallel()
	err := module.Check(task(func(t *sweep.Task) { t.Kinds = []string{"file", "netn"} }))
	if err == nil || !strings.HasPrefix(err.Error(), `kinds has "netn", want some of alternative, alternative_choice, crontab, directory, `) || !strings.Contains(err.Error(), ", netns, ") {
		t.Errorf("error %v", err)
	}
}

func TestATableOfANamesakeStays(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "nft_table", ID: "inet kinit_k8s"})
	h.SetInstance("MINE")
	moduletest.Settle(t, task(all), h)
	if got := h.Changes(); len(got) > 0 {
		t.Errorf("commands %q, want none", got)
	}
	if got, want := h.Reports()[0].Text, "nft table inet kinit_k8s is left alone: another cluster k8s made it"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// What is handed over becomes a mark of the heir's instance.
func TestWhatIsHandedOverIsOfTheHeirsInstance(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		`{"id": "THEIRS"}`:                   "THEIRS",
		`{"id": "THEIRS", "unmarked": true}`: "",
		"":                                   "",
	} {
		h := host(t, module.Mark{Kind: "sysctl", ID: "net.ipv4.ip_forward", Prior: "0"})
		h.SetInstance("MINE")
		owned := "/var/lib/kinit/clusters/"
		h.FS.Put(owned+"k8s/owned/sysctl/x.json", `{"kind": "sysctl", "id": "net.ipv4.ip_forward", "prior": "0", "seq": "7", "instance": "MINE"}`, 0o600)
		mark(h, "other", "file", "%2Fx.json", "/x")
		if file != "" {
			h.FS.Put(owned+"other/owned/instance.json", file, 0o600)
		}
		moduletest.Settle(t, task(all), h)
		text, _ := h.FS.Text(owned + "other/owned/sysctl/x.json")
		var got struct{ Kind, ID, Prior, Seq, Instance string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if got.Kind != "sysctl" || got.ID != "net.ipv4.ip_forward" || got.Prior != "0" || got.Seq != "7" || got.Instance != want {
			t.Errorf("handed over %+v, want instance %q", got, want)
		}
		if _, there := h.FS.Text(owned + "k8s/owned/sysctl/x.json"); there {
			t.Error("the mark is still the first one's")
		}
	}
}

func TestMarksOfANamesakeStayWithTheManifest(t *testing.T) {
	t.Parallel()
	h := host(t, module.Mark{Kind: "file", ID: "/opt/own"})
	h.SetInstance("MINE")
	h.FS.Put("/opt/own", "", 0o644)
	h.FS.Put("/opt/theirs", "", 0o644)
	theirs := "/var/lib/kinit/clusters/k8s/owned/file/theirs.json"
	h.FS.Put(theirs, `{"kind": "file", "id": "/opt/theirs", "seq": "1", "instance": "OTHER"}`, 0o600)
	made := task(all)
	moduletest.WantTexts(t, made, h, "remove file /opt/own")
	moduletest.Settle(t, made, h)
	for name, want := range map[string]bool{"/opt/own": false, "/opt/theirs": true, theirs: true} {
		if _, there := h.FS.Text(name); there != want {
			t.Errorf("%s is there: %v, want %v", name, there, want)
		}
	}
	if got, want := made.MessageText(), "file /opt/theirs is left alone: another cluster k8s made it"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestHostWithoutOwnerHasNothing(t *testing.T) {
	t.Parallel()
	if got := moduletest.Texts(t, task(all), moduletest.NewFakeHost(t, "")); len(got) > 0 {
		t.Errorf("steps %v, want none", got)
	}
}

func TestAFolderIsARemovalThatMustBeNamedIfUnmarkedFilesGoWithIt(t *testing.T) {
	t.Parallel()
	h := host(t,
		module.Mark{Kind: "directory", ID: "/var/lib/kinit/clusters/k8s/data"}, module.Mark{Kind: "directory", ID: "/var/lib/kinit/clusters/k8s/empty"},
		module.Mark{Kind: "directory", ID: "/var/lib/kinit/clusters/k8s/own"}, module.Mark{Kind: "file", ID: "/var/lib/kinit/clusters/k8s/own/conf"},
		module.Mark{Kind: "directory", ID: "/srv/shared"}, module.Mark{Kind: "directory", ID: "/var/lib/kinit/clusters/k8s/kept"})
	for _, name := range []string{"/var/lib/kinit/clusters/k8s/data/precious", "/var/lib/kinit/clusters/k8s/own/conf", "/srv/shared/theirs", "/var/lib/kinit/clusters/k8s/kept/precious"} {
		h.FS.Put(name, "", 0o644)
	}
	for all, want := range map[bool][]module.Removed{false: {{Kind: "folder", Name: "/var/lib/kinit/clusters/k8s/data"}}, true: nil} {
		steps, err := task(func(t *sweep.Task) { t.All, t.Keep = all, []string{"/var/lib/kinit/clusters/k8s/kept"} }).Plan(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, module.Removals(steps)); diff != "" {
			t.Errorf("all = %v (-want +got):\n%s", all, diff)
		}
	}
}

// A plan shows the refusal of a run, and neither removes anything.
func TestPurgeOfAPackageThatAForeignPackageNeedsIsRefusedInThePlan(t *testing.T) {
	t.Parallel()
	h := host(t, append(everything(), module.Mark{Kind: "package", ID: "engine", Keep: true})...)
	populate(h)
	made := task(func(t *sweep.Task) { t.All, t.Purge = true, true })
	want := "remove package engine: it stays, because packages need it that k8s did not install: database. " +
		"Remove them yourself if nothing needs them, and run again; or run without purge, which leaves packages installed"
	moduletest.Same(t, "the plan", moduletest.Planned(t.Context(), made, h), want)
	moduletest.Same(t, "the run", moduletest.Apply(t, made, h), want)
	if got := h.Changes(); len(got) > 0 {
		t.Errorf("commands %q, want none", got)
	}
}
