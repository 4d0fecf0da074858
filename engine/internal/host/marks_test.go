package host

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport/transporttest/sshd"
)

// hereAndFarAway runs a test on this machine, and again on this machine over SSH.
func hereAndFarAway(t *testing.T, test func(t *testing.T, m *Machine)) {
	t.Helper()
	t.Run("here", func(t *testing.T) { test(t, machine(t, &secret.Redactor{})) })
	t.Run("over SSH", func(t *testing.T) {
		server := sshd.Start(t)
		settings := Settings{
			Name: "far", Address: server.Host, Port: server.Port, User: server.User, NoAgent: true,
			IdentityFiles: []string{server.ClientKey}, HostKeys: []string{server.HostKey}, Manifests: t.TempDir() + "/kinit/clusters",
		}
		connections := NewConnections(func(context.Context, string) (Settings, error) { return settings, nil }, &secret.Redactor{})
		t.Cleanup(func() { _ = connections.Close() })
		m, err := connections.Get(t.Context(), "far")
		if err != nil {
			t.Fatal(err)
		}
		test(t, m)
	})
}

func own(t *testing.T, h module.Host, marks ...module.Mark) {
	t.Helper()
	for _, mark := range marks {
		if err := h.Own(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
	}
}

func wantMarks(t *testing.T, h module.Host, want ...module.Mark) {
	t.Helper()
	got, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMarksComeInTheOrderInWhichTheyWereMade(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		h := m.Bind("k8s", nil)
		wantMarks(t, h)
		marks := []module.Mark{
			{Kind: "unit", ID: "z.service"},
			{Kind: "file", ID: "/etc/z", Prior: "old\ntext"},
			{Kind: "package", ID: "podman", Keep: true},
			{Kind: "file", ID: "/etc/a"},
			{Kind: "unit", ID: "a.service"},
		}
		own(t, h, marks...)
		wantMarks(t, h, marks...)
		if err := h.Disown(t.Context(), marks[1]); err != nil {
			t.Fatal(err)
		}
		if err := h.Disown(t.Context(), marks[1]); err != nil {
			t.Fatal(err)
		}
		wantMarks(t, h, marks[0], marks[2], marks[3], marks[4])
		own(t, h, marks[1]) // made again, so it is the last
		wantMarks(t, h, marks[0], marks[2], marks[3], marks[4], marks[1])
	})
}

func TestOwnKeepsTheFirstPrior(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		h := m.Bind("k8s", nil)
		first := module.Mark{Kind: "ovs_setting", ID: "mtu", Prior: "1500"}
		own(t, h, first, module.Mark{Kind: "ovs_setting", ID: "mtu", Prior: "1442"}, module.Mark{Kind: "ovs_setting", ID: "mtu"})
		wantMarks(t, h, first)
	})
}

func TestOwnersAreApart(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		a, b, unowned := m.Bind("a", nil), m.Bind("b", nil), m.Bind("", nil)
		mark := module.Mark{Kind: "file", ID: "/etc/x"}
		own(t, a, mark)
		own(t, unowned, mark)
		wantMarks(t, a, mark)
		wantMarks(t, b)
		wantMarks(t, unowned)
		if err := b.Disown(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
		if err := unowned.Disown(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
		wantMarks(t, a, mark)
	})
}

func TestMarksMayBeMadeAtTheSameTime(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				own(t, m.Bind("k8s", nil), module.Mark{Kind: "file", ID: "/shared", Prior: "old"},
					module.Mark{Kind: "file", ID: "/" + strings.Repeat("x", i)})
			})
		}
		all.Wait()
		marks, err := m.Bind("k8s", nil).Marks(t.Context())
		if err != nil || len(marks) != 21 {
			t.Errorf("%d marks, error %v", len(marks), err)
		}
	})
}

func TestMarksTakeAnyName(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		h := m.Bind("../k8s", nil)
		long := strings.Repeat("/long folder", 100)
		var marks []module.Mark
		for _, id := range []string{"/etc/a b", "..", ".", "a/b", "a%2Fb", "é\n", "*", long + "1", long + "2"} {
			marks = append(marks, module.Mark{Kind: "../file", ID: id})
		}
		own(t, h, marks...)
		wantMarks(t, h, marks...)
		for _, mark := range marks {
			if err := h.Disown(t.Context(), mark); err != nil {
				t.Error(err)
			}
		}
		wantMarks(t, h)
		for _, mark := range []module.Mark{{Kind: "file"}, {ID: "/etc/x"}} {
			if err := h.Own(t.Context(), mark); err == nil {
				t.Errorf("%+v is accepted", mark)
			}
		}
	})
}

func TestMarksAreKeptPrivately(t *testing.T) {
	m := machine(t, &secret.Redactor{})
	own(t, m.Bind("k8s", nil), module.Mark{Kind: "file", ID: "/etc/motd", Prior: "old", Keep: true})
	modes := map[string]fs.FileMode{}
	root := filepath.Dir(m.settings.Manifests)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		short, _ := filepath.Rel(root, name)
		modes[short] = info.Mode()
		return err
	})
	want := map[string]fs.FileMode{
		".":                       fs.ModeDir | 0o755,
		"clusters":                fs.ModeDir | 0o700,
		"clusters/k8s":            fs.ModeDir | 0o700,
		"clusters/k8s/owned":      fs.ModeDir | 0o700,
		"clusters/k8s/owned/file": fs.ModeDir | 0o700,
		"clusters/k8s/owned/file/%2Fetc%2Fmotd.json": 0o600,
	}
	if diff := cmp.Diff(want, modes); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	text, err := os.ReadFile(filepath.Join(root, "clusters/k8s/owned/file/%2Fetc%2Fmotd.json"))
	if err != nil || !strings.HasPrefix(string(text), "{\n  \"kind\": \"file\",\n  \"id\": \"/etc/motd\",\n  \"prior\": \"old\",\n  \"keep\": true,\n  \"seq\": \"0") {
		t.Errorf("text %s, error %v", text, err)
	}
}

func TestADamagedMarkIsAnError(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		h := m.Bind("k8s", nil)
		own(t, h, module.Mark{Kind: "file", ID: "x"})
		name := m.settings.Manifests + "/k8s/owned/file/x.json"
		if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Marks(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v", err)
		}
	})
}

// Modules read marks often, and each file would be several requests.
func TestMarksFarAwayAreReadByOneCommand(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		b := m.Bind("k8s", nil).(*bound)
		own(t, b, module.Mark{Kind: "file", ID: "a", Prior: "x\ny"}, module.Mark{Kind: "unit", ID: "b"})
		if marks, ok := b.printed(t.Context()); !ok || len(marks) != 2 {
			t.Errorf("%d marks printed, %v, want 2", len(marks), ok)
		}
	})
}

func TestMarksFarAwayAreReadAgainOnlyAfterAChange(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		a, b := module.Mark{Kind: "file", ID: "a"}, module.Mark{Kind: "file", ID: "b"}
		h := m.Bind("k8s", nil)
		own(t, h, a, b)
		wantMarks(t, h, a, b)
		for range 3 {
			wantMarks(t, m.Bind("k8s", nil), a, b)
		}
		if err := os.Remove(m.settings.Manifests + "/k8s/owned/file/b.json"); err != nil {
			t.Fatal(err)
		}
		if m.settings.Local {
			wantMarks(t, h, a)
		} else {
			wantMarks(t, h, a, b)
		}
		if err := h.Disown(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		wantMarks(t, h)
	})
}

// Clean-up hands a package over to another cluster by moving the file of its mark, and then disowns it.
func TestMarkThatWasHandedOverIsNotListedAgain(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		mark := module.Mark{Kind: "package", ID: "a"}
		h := m.Bind("k8s", nil)
		own(t, h, mark)
		wantMarks(t, h, mark)
		owned := m.settings.Manifests + "/k8s/owned/package/a.json"
		if err := h.Files().Remove(t.Context(), owned); err != nil {
			t.Fatal(err)
		}
		if err := h.Disown(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
		wantMarks(t, h)
	})
}

// A machine may have two names, or be reached as two users.
func TestAMarkThatAnotherConnectionMadeIsSeen(t *testing.T) {
	server := sshd.Start(t)
	settings := Settings{
		Address: server.Host, Port: server.Port, User: server.User, NoAgent: true,
		IdentityFiles: []string{server.ClientKey}, HostKeys: []string{server.HostKey}, Manifests: t.TempDir() + "/kinit/clusters",
	}
	connections := NewConnections(func(context.Context, string) (Settings, error) { return settings, nil }, &secret.Redactor{})
	t.Cleanup(func() { _ = connections.Close() })
	var hosts []module.Host
	for _, name := range []string{"one", "other"} {
		m, err := connections.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, m.Bind("k8s", nil))
	}
	mark := module.Mark{Kind: "file", ID: "a"}
	wantMarks(t, hosts[1])
	own(t, hosts[0], mark)
	wantMarks(t, hosts[1], mark)
	if err := hosts[1].Disown(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	wantMarks(t, hosts[0])
}

// A crash between the mark and the file leaves the content before, which is kinit's too.
func TestMarkGathersTheChecksumsOfWhatKinitWrote(t *testing.T) {
	hereAndFarAway(t, func(t *testing.T, m *Machine) {
		h := m.Bind("demo", nil)
		own(t, h, module.Mark{Kind: "file", ID: "/f", Prior: "/f.before", Sums: "1"}, module.Mark{Kind: "file", ID: "/g"})
		own(t, h, module.Mark{Kind: "file", ID: "/f"}, module.Mark{Kind: "file", ID: "/f", Sums: "2"}, module.Mark{Kind: "file", ID: "/f", Sums: "1"})
		wantMarks(t, h, module.Mark{Kind: "file", ID: "/f", Prior: "/f.before", Sums: "1 2"}, module.Mark{Kind: "file", ID: "/g"})
		for _, sum := range strings.Fields("3 4 5 6 7 8 9") {
			own(t, h, module.Mark{Kind: "file", ID: "/f", Sums: sum})
		}
		wantMarks(t, h, module.Mark{Kind: "file", ID: "/f", Prior: "/f.before", Sums: "9 8 7 6 5 4 3 1"}, module.Mark{Kind: "file", ID: "/g"})
	})
}
