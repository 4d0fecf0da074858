package wintask

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

const trim = "name = \"kinit/disk/trim\"\nprogram = \"C:/Windows/System32/defrag.exe\"\narguments = [\"C:\", \"/L\"]\nstartup = true\ndaily = \"03:30\"\n"

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

// registered is the task as the scheduler tells it.
func registered() definition {
	return definition{There: true, Program: `c:\windows\system32\defrag.exe`, Arguments: "C: /L", Actions: 1, User: "S-1-5-18", Enabled: true, Limit: "PT0S",
		Triggers: []trigger{{Kind: daily, Start: "2020-01-01T03:30:00"}, {Kind: atBoot, Start: "2024-02-29T00:00:00"}}}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"as it should be", trim, nil},
		{"another time", "name = \"a\"\nprogram = \"C:/Windows/System32/defrag.exe\"\narguments = [\"C:\", \"/L\"]\nstartup = true\ndaily = \"04:00\"", []string{"triggers"}},
		{"a time more", trim + "once = \"2026-01-31T03:30:00\"", []string{"triggers"}},
		{"repeated", trim + "every = \"5m\"", []string{"triggers"}},
		{"another user, folder and text", trim + "user = \"local_service\"\ndir = \"C:/k\"\ndescription = \"x\"", []string{"dir", "user", "description"}},
		{"not enabled", trim + "enabled = false", []string{"enabled"}},
		{"another program", "name = \"a\"\nprogram = \"defrag.exe\"\nstartup = true\ndaily = \"03:30\"", []string{"program", "arguments"}},
	} {
		if diff := cmp.Diff(c.want, registered().diff(decode(t, c.args).definition())); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestATaskThatIsEndedAfterThreeDaysIsChanged(t *testing.T) {
	t.Parallel()
	have := registered()
	have.Limit = "PT72H"
	if diff := cmp.Diff([]string{"time limit"}, have.diff(decode(t, trim).definition())); diff != "" {
		t.Error(diff)
	}
}

func TestIntervalsAreComparedAsTheSchedulerWritesThem(t *testing.T) {
	t.Parallel()
	for written, every := range map[string]string{"PT1M": "1m", "PT1H": "60m", "PT1H30M": "1h30m", "P1D": "24h", "P31D": "744h", "P1DT1H": "25h", "": ""} {
		task := decode(t, trim)
		task.Every = module.Duration(every)
		have, want := registered(), task.definition()
		have.Triggers = append(have.Triggers, trigger{Kind: atATime, Start: longAgo, Every: written})
		if every == "" {
			have = registered()
		}
		if diff := have.diff(want); diff != nil {
			t.Errorf("%s: %q is %v", every, written, diff)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]place{
		"trim": {`\`, "trim"}, "kinit/trim": {`\kinit\`, "trim"}, "kinit/disk/trim": {`\kinit\disk\`, "trim"},
	} {
		if got := (&Task{Name: name}).place(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`name = "/a"`:                                                   `name is "/a", want a name with folders before it, such as "kinit/renew"`,
		"name = \"a\"\nstate = \"absent\"":                              "",
		`name = "a"`:                                                    `program is "", want the path of a program`,
		"name = \"a\"\nprogram = \"b\"":                                 "nothing starts the task, want startup, daily, every or once",
		"name = \"a\"\nprogram = \"b\"\nevery = \"90s\"":                `every is "90s", want whole minutes such as "5m", and at most 31 days`,
		"name = \"a\"\nprogram = \"b\"\nevery = \"745h\"":               `every is "745h", want whole minutes such as "5m", and at most 31 days`,
		"name = \"a\"\nprogram = \"b\"\nevery = \"often\"":              `every is "often", want whole minutes such as "5m", and at most 31 days`,
		"name = \"a\"\nprogram = \"b\"\nstartup = true\nuser = \"me\"":  `user is "me", want one of system, local_service, network_service`,
		"name = \"a\"\nprogram = \"b\"\ndaily = \"25:00\"":              `daily is "25:00", want a time such as "03:30"`,
		"name = \"a\"\nprogram = \"b\"\nonce = \"tomorrow\"":            `once is "tomorrow", want a time such as "2026-01-31T03:30:00"`,
		"name = \"a\"\nprogram = \"b\"\nstartup = true\ndir = \"work\"": `dir is "work", want a path with its drive, such as "C:/kinit/file"`,
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
}
