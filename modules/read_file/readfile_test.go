package readfile

import (
	"os"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	if err := os.WriteFile(h.Path("f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return task(t, h.Path("f")) }, Host: h, NoSteps: true})
}

func TestContent(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	for name, content := range map[string]string{"text": "hällo\n", "binary": "\xff\x00"} {
		if err := os.WriteFile(h.Path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("text", h.Path("link")); err != nil {
		t.Fatal(err)
	}
	text := cty.StringVal
	moduletest.WantOutputs(t, task(t, h.Path("link")), h, map[string]cty.Value{
		"exists": cty.True, "content": text("hällo\n"), "base64": text("aMOkbGxvCg=="), "size": cty.NumberIntVal(7),
		"sha256": text("89ec06c62af1ced33003656b2e3402c8360e76a995101f8a87194447a2c00b34"),
	})
	moduletest.WantOutputs(t, task(t, h.Path("binary")), h, map[string]cty.Value{
		"exists": cty.True, "content": text("\xff\x00"), "base64": text("/wA="), "size": cty.NumberIntVal(2),
		"sha256": text("ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f"),
	})
	moduletest.WantOutputs(t, task(t, h.Path("none"), "optional = true"), h, map[string]cty.Value{
		"exists": cty.False, "content": text(""), "base64": text(""), "size": cty.NumberIntVal(0), "sha256": text(""),
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/d/long", strings.Repeat("x", longest+1), 0o644)
	for path, want := range map[string]string{
		"/d/none": "/d/none does not exist on " + h.Name() + ": set optional = true if it may be missing",
		"/d":      "/d is no regular file, want one file",
		"/d/long": "/d/long has more than 1 MiB, which is too much for a value: fetch copies it to this machine",
	} {
		if _, err := task(t, path).Outputs(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	moduletest.Refused(t, task(t, "f"), `path is "f", want an absolute path`)
}

func task(t *testing.T, path string, args ...string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), strings.Join(append([]string{`path = "` + path + `"`}, args...), "\n")).(*Task)
}
