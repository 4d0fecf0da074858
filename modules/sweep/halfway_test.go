package sweep_test

import (
	"errors"
	"io/fs"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/manifest"
)

// A run that is killed while it writes leaves the new content under a temporary name.
func TestWhatAKilledRunHasHalfWrittenGoes(t *testing.T) {
	t.Parallel()
	const own = "/var/lib/kinit/clusters/k8s"
	marks := []module.Mark{
		{Kind: "directory", ID: own},
		{Kind: "directory", ID: own + "/services"},
		{Kind: "file", ID: own + "/services/htpasswd"},
		{Kind: "file", ID: own + "/ca.crt"},
		{Kind: "file", ID: "/etc/lab.conf"},
		{Kind: "link", ID: "/etc/lab.link"},
		{Kind: "unit", ID: "lab.service"},
		{Kind: "line", ID: "/etc/hosts: 10.0.0.1 lab"},
	}
	const token = ".kinit-G6XX6LR6PMRVFLUFPTVRNANOSG"
	files := map[string]bool{ // true is what stays
		own + "/services/.htpasswd" + token:             false,
		own + "/.ca.crt" + token:                        false,
		"/etc/lab.conf":                                 false,
		"/etc/.lab.conf" + token:                        false,
		"/etc/.lab.link" + token:                        false,
		"/etc/systemd/system/.lab.service" + token:      false,
		"/etc/hosts":                                    true,
		"/etc/.hosts" + token:                           false,
		"/etc/.lab.conf.kinit-notes":                    true,
		"/etc/.other.conf" + token:                      true,
		"/etc/.lab.conf" + token + ".gz":                true,
		"/var/lib/kinit/clusters/other/.file" + token:   true,
		"/var/lib/kinit/clusters/other/owned/file/x":    true,
		"/var/lib/kinit/clusters/k8s-2/services/config": true,
	}
	h := host(t, marks...)
	for name := range files {
		h.FS.Put(name, "{}", 0o644)
	}
	moduletest.Settle(t, task(all), h)
	for name, want := range files {
		if _, there := h.FS.Text(name); there != want {
			t.Errorf("%s is there: %v, want %v", name, there, want)
		}
	}
	if _, err := h.FS.Stat(t.Context(), own); err == nil {
		t.Error("the cluster's own folder is still there")
	}
}

func TestAFolderOfTheClustersOwnStaysWithWhatIsKept(t *testing.T) {
	t.Parallel()
	const own = "/var/lib/kinit/clusters/k8s"
	h := host(t,
		module.Mark{Kind: "directory", ID: own},
		module.Mark{Kind: "directory", ID: own + "/cache"},
		module.Mark{Kind: "download", ID: own + "/cache/base.qcow2", Keep: true},
		module.Mark{Kind: "file", ID: own + "/ca.crt"},
	)
	h.FS.Put(own+"/cache/base.qcow2", "image", 0o644)
	h.FS.Put(own+"/ca.crt", "cert", 0o644)
	moduletest.Settle(t, task(all), h)
	if _, there := h.FS.Text(own + "/cache/base.qcow2"); !there {
		t.Error("what is to be kept is gone")
	}
	if _, there := h.FS.Text(own + "/ca.crt"); there {
		t.Error("the certificate is still there")
	}
}

// A run that is killed after it has removed the owner's folder leaves the folder above it.
func TestAnEmptyFolderOfManifestsGoes(t *testing.T) {
	t.Parallel()
	h := host(t)
	if err := h.FS.Mkdir(t.Context(), manifest.Folder, module.Attr{Mode: 0o700}); err != nil {
		t.Fatal(err)
	}
	moduletest.Settle(t, task(all), h)
	if _, err := h.FS.Stat(t.Context(), manifest.Folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder of manifests is still there: %v", err)
	}
}
