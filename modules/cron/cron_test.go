package cron_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/cron"
	"kinit/modules/internal/roottest"
)

func task(t *testing.T, args string) *cron.Task {
	t.Helper()
	return moduletest.Decode(t, cron.Kind(), "name = \"kinit-test\"\n"+args).(*cron.Task)
}

const job = "schedule = \"*/5 * * * *\"\njob = \"date +%F\"\n"

func TestContract(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"", "crontab = true\nuser = \"games\"\n"} {
		roottest.Contract(t, func(owner string) *roottest.Host { return roottest.New(t, owner, "crontab") },
			func() module.Task { return task(t, job+where) },
			func() module.Task { return task(t, where+`state = "absent"`) },
			func(h *roottest.Host) string {
				return h.Shell(t, "ls /var/spool/cron/crontabs /etc/cron.d | grep -e kinit -e games || true")
			})
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "crontab")
	moduletest.Settle(t, task(t, job+"user = \"games\"\nenv = { MAILTO = \"ops@example\", A = \"b c\" }"), h)
	moduletest.Same(t, "file", h.Shell(t, "stat -c %a:%u /etc/cron.d/kinit-kinit-test; cat /etc/cron.d/kinit-kinit-test"),
		"644:0\n# Made by kinit.\nA=\"b c\"\nMAILTO=\"ops@example\"\n*/5 * * * * games date +\\%F\n")
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: "/etc/cron.d/kinit-kinit-test"})
}

func TestForeignEntriesAreKept(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "crontab")
	h.Shell(t, "printf '# theirs\n0 1 * * * a\n# kinit: other\n1 1 * * * b\n' | crontab -u games -")
	one := job + "crontab = true\nuser = \"games\"\n"
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, one)),
		[]string{`add kinit-test to the crontab of games: */5 * * * * date +\%F`})
	moduletest.Settle(t, task(t, one), h)
	changed := task(t, strings.ReplaceAll(one, "*/5 ", "*/6 "))
	moduletest.Same(t, "steps", roottest.Planned(t, h, changed),
		[]string{`change kinit-test in the crontab of games: */6 * * * * date +\%F`})
	moduletest.Settle(t, changed, h)
	moduletest.Same(t, "crontab", h.Shell(t, "crontab -u games -l"),
		"# theirs\n0 1 * * * a\n# kinit: other\n1 1 * * * b\n# kinit: kinit-test\n*/6 * * * * date +\\%F\n")
	mark := module.Mark{Kind: "crontab", ID: "games kinit-test"}
	moduletest.Marks(t, h, mark)
	for range 2 {
		if err := cron.Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "crontab", h.Shell(t, "crontab -u games -l"), "# theirs\n0 1 * * * a\n# kinit: other\n1 1 * * * b\n")
}

func TestForeignEntryIsNotChanged(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "crontab")
	h.Shell(t, "printf '# kinit: kinit-test\n0 1 * * * a\n' | crontab -u games -")
	want := []string{"error: the entry games kinit-test exists and is not owned by cluster demo: choose another name"}
	for _, args := range []string{job, "state = \"absent\"\n"} {
		moduletest.Same(t, args, roottest.Planned(t, h, task(t, args+"crontab = true\nuser = \"games\"")), want)
	}
}

func TestTasksAtTheSameTimeLoseNoEntry(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "crontab")
	var all sync.WaitGroup
	var want string
	for i := range 8 {
		made := task(t, job+"crontab = true\nuser = \"games\"")
		made.Name = fmt.Sprintf("kinit-test-%d", i)
		want += "# kinit: " + made.Name + "\n"
		steps := moduletest.Steps(t, made, h)
		all.Go(func() {
			if err := steps[0].Do(t.Context(), h); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	moduletest.Same(t, "entries", h.Shell(t, "crontab -u games -l | grep ^# | sort"), want)
}

func TestWithoutCron(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("crontab", "-u", "root", "-l").Fail(127, "crontab: not found")
	steps, err := task(t, job+"crontab = true").Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	err = steps[0].Do(t.Context(), h)
	if want := "the program crontab is missing: install cron, with a package task, before"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	moduletest.Same(t, "absent", roottest.Planned(t, h, task(t, "crontab = true\nstate = \"absent\"")), nil)
}

func TestCrontabTakesEverySchedule(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "crontab")
	for schedule, want := range map[string]string{
		"@reboot": "", "@daily": "", "0 0 1 1 *": "", "*/15 0-6/2,12 1,15 jan-mar MON": "", "0 0 * * 7": "",
		"@often":      `schedule is "@often", want five fields such as "*/5 * * * *", or "@daily"`,
		"* * * *":     `schedule is "* * * *", want five fields such as "*/5 * * * *", or "@daily"`,
		"60 * * * *":  `schedule has the minute "60", want "*" or 0 to 59, also as ranges "a-b", lists "a,b" and steps "*/n"`,
		"0 5-1 * * *": `schedule has the hour "5-1", want "*" or 0 to 23, also as ranges "a-b", lists "a,b" and steps "*/n"`,
		"0 0 0 * *":   `schedule has the day "0", want "*" or 1 to 31, also as ranges "a-b", lists "a,b" and steps "*/n"`,
		"0 0 * jän *": `schedule has the month "jän", want "*" or 1 to 12, or jan to dec, also as ranges "a-b", lists "a,b" and steps "*/n"`,
		"0 0 * * 1/0": `schedule has the weekday "1/0", want "*" or 0 to 7, or sun to sat, also as ranges "a-b", lists "a,b" and steps "*/n"`,
	} {
		made := task(t, "job = \"true\"\ncrontab = true\nuser = \"games\"\nschedule = \""+schedule+"\"")
		got := ""
		if err := module.Check(made); err != nil {
			got = err.Error()
		}
		moduletest.Same(t, schedule, got, want)
		if want == "" {
			moduletest.Settle(t, made, h)
			continue
		}
		if schedule == "0 5-1 * * *" {
			continue // Debian's crontab takes it, and what it makes of it is not defined
		}
		if _, err := h.Run(t.Context(), module.Command{Argv: []string{"crontab", "-u", "games", "-"}, Stdin: strings.NewReader(schedule + " true\n")}); err == nil {
			t.Errorf("crontab takes %q", schedule)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"schedule = \"@daily\"":                     `job is "", want one command line`,
		`job = "tar cf /b/$(date +\\%F).tar /etc"`:  `job has a backslash before "%": want "%" alone, kinit escapes it for cron`,
		job + "user = \"\"":                         `user is "", want a name such as "deploy"`,
		job + "env = { \"A B\" = \"c\" }":           `env has A B = "c", want a variable's name and one line without double quotes`,
		job + "crontab = true\nenv = { A = \"c\" }": "env is for a file only, as it would count for all later jobs of the crontab: put it into job",
		job + "state = \"disabled\"":                `state is "disabled", want one of present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}
