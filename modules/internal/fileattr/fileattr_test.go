package fileattr

import (
	"io/fs"
	"slices"
	"testing"

	"kinit/engine/module"
)

func TestParseMode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fs.FileMode{
		"": 0, "0644": 0o644, "755": 0o755, "0001": 1, "0777": 0o777,
	} {
		if got, err := ParseMode(text); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %o, %v, want %o", text, got, err, want)
		}
	}
	for _, text := range []string{"0000", "0888", "u+x", "1777", "-1", "77777777"} {
		if got, err := ParseMode(text); err == nil {
			t.Errorf("ParseMode(%q) = %o, want an error", text, got)
		}
	}
}

func TestDiffNamesWhatIsDifferentOnly(t *testing.T) {
	t.Parallel()
	info := module.FileInfo{Mode: 0o600, Owner: "root", Group: "adm", GID: 4}
	for _, c := range []struct {
		name string
		want Want
		diff []string
	}{
		{"nothing asked", Want{}, nil},
		{"all as it is", Want{Mode: "0600", Owner: "root", Group: "adm"}, nil},
		{"numbers", Want{Owner: "0", Group: "4"}, nil},
		{"all different", Want{Mode: "0644", Owner: "www", Group: "0"},
			[]string{"mode 0600 to 0644", "owner root to www", "group adm to 0"}},
	} {
		if got := c.want.Diff(info); !slices.Equal(got, c.diff) {
			t.Errorf("%s: %q, want %q", c.name, got, c.diff)
		}
	}
}
