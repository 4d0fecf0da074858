package podmanimage_test

import (
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/podman_image"
)

func TestLoginIsInAPrivateFileForAsLongAsThePullTakes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 125} {
		h := moduletest.NewFakeHost(t, "k8s")
		pulled, file := false, ""
		h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
			line := c.Line()
			switch {
			case strings.HasPrefix(line, "podman image "):
				if pulled {
					return moduletest.Reply{Stdout: `[{"Id": "abc"}]`}, true
				}
				return moduletest.Reply{Code: 1}, true
			case strings.HasPrefix(line, "podman pull "):
				file = c.Argv[len(c.Argv)-2]
				text, _ := h.FS.Text(file)
				want := `{"auths":{"registry.lab:5000":{"auth":"YW5uOmh1bnRlcjIh"}}}`
				if text != want {
					t.Errorf("login file %q, want %q", text, want)
				}
				if info, err := h.FS.Stat(t.Context(), file); err != nil || info.Mode.Perm() != 0o600 {
					t.Errorf("mode %v, %v, want 0600", info.Mode, err)
				}
				if strings.Contains(line, "hunter2!") {
					t.Errorf("the command shows the password: %s", line)
				}
				pulled = code == 0
				return moduletest.Reply{Code: code, Changes: true}, true
			}
			return moduletest.Reply{}, false
		})
		made := task("", func(t *podmanimage.Task) {
			t.Name, t.Username, t.Password, t.TLSVerify = "registry.lab:5000/web:1", "ann", secret.Value("hunter2!"), false
		})
		steps := moduletest.Steps(t, made, h)
		if err := steps[0].Do(t.Context(), h); (err != nil) != (code != 0) {
			t.Errorf("code %d: %v", code, err)
		}
		if _, there := h.FS.Text(file); there || file == "" {
			t.Errorf("the login file %q is still there", file)
		}
		if got := h.Redact("YW5uOmh1bnRlcjIh hunter2!"); got != "*** ***" {
			t.Errorf("redacted %q", got)
		}
	}
}
