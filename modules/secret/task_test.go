package secretvalue_test

import (
	"regexp"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/secret"
)

func task(path string, change func(*secretvalue.Task)) module.Task {
	return moduletest.Make(secretvalue.Kind(), func(made *secretvalue.Task) {
		made.Path = path
	}, change)
}

func value(t *testing.T, h module.Host, made module.Task) string {
	t.Helper()
	moduletest.Do(t, made, h)
	return moduletest.Outputs(t, made, h)["value"].AsString()
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"password", "token", "hex"} {
		h := moduletest.LocalHost(t, "k8s")
		path := h.Path("secrets", format)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(path, func(t *secretvalue.Task) { t.Format = format }) },
			Absent: func() module.Task { return task(path, func(t *secretvalue.Task) { t.State = "absent" }) },
		})
	}
}

func TestValuesHaveTheirForm(t *testing.T) {
	t.Parallel()
	for format, pattern := range map[string]string{
		"password": `^[A-Za-z0-9]{24}$`,
		"token":    `^[a-z0-9]{6}\.[a-z0-9]{16}$`,
		"hex":      `^[0-9a-f]{64}$`,
	} {
		h := moduletest.NewFakeHost(t, "k8s")
		made := task("/srv/secret", func(t *secretvalue.Task) { t.Format = format })
		got := value(t, h, made)
		if !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: %q, want %s", format, got, pattern)
		}
		if again := value(t, h, made); again != got {
			t.Errorf("%s: read back %q, want %q", format, again, got)
		}
		if shown := h.Redact("is " + got); shown != "is ***" {
			t.Errorf("%s: redacted %q, want %q", format, shown, "is ***")
		}
		info, err := h.FS.Stat(t.Context(), "/srv/secret")
		if err != nil || info.Mode.Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v, want 0600", format, info.Mode, err)
		}
	}
}

func TestOwnValueOfAnotherFormIsReplacedAndForeignOneKept(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	value(t, h, task("/srv/secret", nil))
	longer := task("/srv/secret", func(t *secretvalue.Task) { t.Length = 32 })
	if got := value(t, h, longer); len(got) != 32 {
		t.Errorf("value %q, want 32 characters", got)
	}
	h.FS.Put("/srv/theirs", "hello", 0o600)
	_, err := task("/srv/theirs", nil).Plan(t.Context(), h)
	want := "/srv/theirs exists and is not owned by cluster k8s: move it away, or use another path"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*secretvalue.Task){
		`path is "s", expected an absolute path`:            func(t *secretvalue.Task) { t.Path = "s" },
		`format is "pin", want one of password, token, hex`: func(t *secretvalue.Task) { t.Format = "pin" },
		`length is 4, expected 8 to 128 characters`:         func(t *secretvalue.Task) { t.Length = 4 },
		`bytes is 1000, expected 8 to 128`:                  func(t *secretvalue.Task) { t.Bytes = 1000 },
		`state is "gone", want one of present, absent`:      func(t *secretvalue.Task) { t.State = "gone" },
	} {
		moduletest.Refused(t, task("/srv/secret", change), want)
	}
}
