package windefender

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

const args = "paths = [\"C:/ProgramData/containerd\", \"C:/k\"]\nprocesses = [\"containerd.exe\", \"ctr.exe\"]\nextensions = [\"vhdx\"]\n"

func TestDecisions(t *testing.T) {
	t.Parallel()
	have := state{Paths: []string{`c:\programdata\containerd`, `C:\other`}, Processes: []string{"CTR.exe"}, Extensions: []string{".vhdx", ""}}
	for extra, want := range map[string]change{
		"":                   {Paths: []string{`C:\k`}, Processes: []string{"containerd.exe"}},
		"state = \"absent\"": {Remove: true, Paths: []string{`C:\ProgramData\containerd`}, Processes: []string{"ctr.exe"}, Extensions: []string{"vhdx"}},
	} {
		got := moduletest.Decode(t, Kind(), args+extra).(*Task).decide(have)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", extra, diff)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "nothing is asked for, want paths, processes or extensions",
		`paths = ["C:/a/*.log"]`:  "",
		`paths = ["a"]`:           `paths is "a", want a path with its drive, such as "C:/kinit/file"`,
		`processes = [""]`:        `processes has an empty name, want one such as "containerd.exe"`,
		`extensions = [".vhdx"]`:  `extensions has ".vhdx", want one without dot such as "vhdx"`,
		args + "state = \"gone\"": `state is "gone", want one of present, absent`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), text), want)
	}
}
