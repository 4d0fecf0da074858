package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/schedule"
	"kinit/engine/need"
	"kinit/test/executable"
	"kinit/test/kube"
)

func job(t *testing.T, name, cron, zone string, hosts ...string) jobs.Job {
	t.Helper()
	j := jobs.Job{Name: name, Hosts: hosts, Timeout: 2 * time.Hour, CleanupTimeout: 30 * time.Minute, Retries: 1}
	if cron == "" {
		return j
	}
	s, err := schedule.Parse(cron, zone)
	if err != nil {
		t.Fatal(err)
	}
	j.Schedule = s
	return j
}

// sample are jobs with schedules and names that are awkward for one or another scheduler.
func sample(t *testing.T) []jobs.Job {
	return []jobs.Job{
		job(t, "k8s-libvirt-1-1-1", "0 3 * * 0", "UTC", "nyctea", "tyto"),
		job(t, "both.Days_"+strings.Repeat("x", 60), "15,45 4 1,15 jan-mar mon", "UTC", "nyctea"),
		job(t, "by-hand", "", "", "tyto"),
	}
}

// files writes what a scheduler reads into a folder.
func files(t *testing.T, as As, o Options, list []jobs.Job) (dir string, made []File) {
	t.Helper()
	dir = t.TempDir()
	made, err := Files(as, o, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, made
}

// options are of a program and a file in a folder with a blank and a percent sign.
func options(t *testing.T) Options {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ci 100%")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "kinit")
	executable.Write(t, program, "#!/bin/sh\necho \"$PWD|$*\"\n")
	return Options{Program: program, File: filepath.Join(dir, "ci.hcl"), Image: "registry.example.org/kinit:v1", Runner: "lab"}
}

func TestSystemdTakesTheUnits(t *testing.T) {
	t.Parallel()
	need.Programs(t, "systemd", "systemd-analyze")
	o := options(t)
	dir, made := files(t, Systemd, o, sample(t))
	args := []string{"verify", "--man=no"}
	for _, f := range made {
		args = append(args, filepath.Join(dir, f.Name))
	}
	cmd := exec.CommandContext(t.Context(), "systemd-analyze", args...)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), dir) {
		t.Errorf("%v: %s", err, out)
	}
	unit := made[0].Content
	for _, want := range []string{
		"WorkingDirectory=" + strings.ReplaceAll(filepath.Dir(o.File), "%", "%%") + "\n",
		`ExecStart="` + strings.ReplaceAll(o.Program, "%", "%%") + `" ci run "` + strings.ReplaceAll(o.File, "%", "%%") + `" --job k8s-libvirt-1-1-1` + "\n",
		"TimeoutStartSec=305min\n", "TimeoutStopSec=31min\n",
	} {
		if !strings.Contains(unit, want) {
			t.Errorf("the service lacks %q:\n%s", want, unit)
		}
	}
}

func TestSystemdIsDueWhenTheScheduleIs(t *testing.T) {
	t.Parallel()
	need.Programs(t, "systemd", "systemd-analyze")
	base := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, j := range sample(t)[:2] {
		first := time.Time{}
		for _, calendar := range j.Schedule.Calendars() {
			out, err := exec.CommandContext(t.Context(), "systemd-analyze", "calendar", "--base-time=2025-01-01 00:00:00 UTC", calendar).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v: %s", calendar, err, out)
			}
			next := elapse(t, string(out))
			if first.IsZero() || next.Before(first) {
				first = next
			}
		}
		if want := j.Schedule.Next(base.Add(-time.Second)); !first.Equal(want) {
			t.Errorf("%s: systemd says %s, the schedule %s", j.Name, first, want)
		}
	}
}

// elapse reads the next time from what systemd-analyze says.
func elapse(t *testing.T, text string) time.Time {
	t.Helper()
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "(in UTC)" || name == "Next elapse" && strings.HasSuffix(value, " UTC") {
			at, err := time.Parse("Mon 2006-01-02 15:04:05 MST", strings.TrimSpace(value))
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("no time in %s", text)
	return time.Time{}
}

func TestCronTakesTheTable(t *testing.T) {
	t.Parallel()
	need.Programs(t, "cron", "crontab")
	o := options(t)
	dir, made := files(t, Cron, o, sample(t))
	if out, err := exec.CommandContext(t.Context(), "crontab", "-n", filepath.Join(dir, made[0].Name)).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	broken := exec.CommandContext(t.Context(), "crontab", "-n", "-")
	broken.Stdin = strings.NewReader(strings.ReplaceAll(made[0].Content, "\n0 3 ", "\n60 3 "))
	if out, err := broken.CombinedOutput(); err == nil || !strings.Contains(string(out), "bad minute") {
		t.Errorf("a minute that there is not: %v: %s", err, out)
	}
	var lines []string
	for line := range strings.Lines(made[0].Content) {
		if line[0] >= '0' && line[0] <= '9' {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "15,45 4 1,15 1,2,3 1 cd ") {
		t.Fatalf("got %q", lines)
	}
	// cron makes line ends of percent signs unless they have a backslash, which it removes.
	command := strings.ReplaceAll(strings.TrimPrefix(lines[0], "0 3 * * 0 "), `\%`, "%")
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
	if want := filepath.Dir(o.File) + "|ci run " + o.File + " --job k8s-libvirt-1-1-1\n"; err != nil || string(out) != want {
		t.Errorf("it runs %q, want %q, error %v", out, want, err)
	}
}

// actionlint installs the linter of GitHub's workflows, at a version that was tried.
func actionlint(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "install", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		need.Missing(t, "actionlint", string(out))
	}
	return filepath.Join(bin, "actionlint")
}

func TestGitHubTakesTheWorkflows(t *testing.T) {
	t.Parallel()
	program := actionlint(t)
	o := Options{Program: "kinit", File: "ci/ci.hcl", Runner: "lab"}
	dir, made := files(t, GitHub, o, sample(t))
	args := []string{"-no-color", "-shellcheck=", "-pyflakes=", "-config-file", filepath.Join(dir, "actionlint.yaml")}
	if err := os.WriteFile(filepath.Join(dir, "actionlint.yaml"), []byte("self-hosted-runner:\n  labels: [lab]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range made {
		args = append(args, filepath.Join(dir, f.Name))
	}
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := Files(GitHub, o, []jobs.Job{job(t, "web", "0 3 * * *", "Europe/Madrid")}); err == nil ||
		err.Error() != `the job "web" is due in the time zone "Europe/Madrid", and GitHub knows schedules in UTC only; give it time_zone = "UTC"` {
		t.Errorf("got %v", err)
	}
}

func TestGitLabGetsOneJobEach(t *testing.T) {
	t.Parallel()
	_, made := files(t, GitLab, Options{Program: "kinit", File: "ci.hcl", Image: "kinit:v1"}, sample(t)[:1])
	var got map[string]any
	if err := yaml.Unmarshal([]byte(made[0].Content), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"k8s-libvirt-1-1-1-periodic-weekly": map[string]any{
		"image": "kinit:v1", "interruptible": false, "resource_group": "kinit-nyctea-tyto", "variables": map[string]any{"KINIT_TRUST_DIR": "$CI_PROJECT_DIR"}, "timeout": "305 minutes",
		"rules": []any{
			map[string]any{"if": `$CI_PIPELINE_SOURCE == "schedule" && $KINIT_JOB == "k8s-libvirt-1-1-1"`},
			map[string]any{"if": `$CI_PIPELINE_SOURCE == "web"`, "when": "manual", "allow_failure": true},
		},
		"script":    []any{`kinit ci run ci.hcl --job k8s-libvirt-1-1-1 --site "$CI_PROJECT_DIR/site"`},
		"artifacts": map[string]any{"when": "always", "paths": []any{"site"}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if made[0].Name != ".gitlab-ci.yml" || !strings.Contains(made[0].Content, "#   interval 0 3 * * 0, time zone UTC, variable KINIT_JOB = k8s-libvirt-1-1-1\n") {
		t.Errorf("got %s:\n%s", made[0].Name, made[0].Content)
	}
}

// kubectl reads a CronJob as its type and leaves out what that does not have, so what it
// gives back must have all that was written.
func TestKubernetesKnowsEveryField(t *testing.T) {
	t.Parallel()
	kubectl := kube.Program(t, "kubectl")
	dir, made := files(t, Kubernetes, options(t), sample(t))
	for _, f := range made {
		out, err := exec.CommandContext(t.Context(), kubectl, "set", "image", "--local", "-o", "json", "-f", filepath.Join(dir, f.Name), "kinit=registry.example.org/kinit:v2").Output() // without a change it prints nothing
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		var wrote, got any
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(f.Content, "kinit:v1", "kinit:v2")), &wrote); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for _, missing := range lacks("", wrote, got) {
			t.Errorf("%s: kubectl does not know %s", f.Name, missing)
		}
		name := wrote.(map[string]any)["metadata"].(map[string]any)["name"].(string)
		if len(name) > mostName || f.Name != name+".yaml" {
			t.Errorf("the name %s has %d characters", name, len(name))
		}
	}
}

// lacks lists the fields of one value that another lacks or has differently.
func lacks(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		var all []string
		for key, value := range w {
			all = append(all, lacks(path+"."+key, value, g[key])...)
		}
		return all
	case []any:
		g, _ := got.([]any)
		var all []string
		for i, value := range w {
			if i >= len(g) {
				return append(all, path)
			}
			all = append(all, lacks(path, value, g[i])...)
		}
		return all
	}
	a, errA := json.Marshal(want)
	b, errB := json.Marshal(got)
	if errA != nil || errB != nil || string(a) != string(b) {
		return []string{path}
	}
	return nil
}

func TestKubernetesHasANameForEveryJob(t *testing.T) {
	t.Parallel()
	var list []jobs.Job
	for _, name := range []string{"web-a", "web.a", "web_a", "Web-a", "web-a-"} {
		list = append(list, job(t, name, "@daily", "UTC"))
	}
	_, made := files(t, Kubernetes, options(t), list)
	var got []string
	for _, f := range made {
		got = append(got, f.Name)
	}
	want := []string{
		"kinit-web-a-periodic-daily.yaml", "kinit-web-a-periodic-daily-de6eb252.yaml", "kinit-web-a-periodic-daily-917b4ef1.yaml",
		"kinit-web-a-periodic-daily-6cf30d3f.yaml", "kinit-web-a--periodic-daily.yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestWhatASchedulerCannotDoIsSaid(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"the image that has kinit and the file of jobs in it is missing: give --image":         {Program: "kinit", File: "/ci.hcl"},
		"where the file of jobs is in the image is missing: give --file with an absolute path": {Program: "kinit", File: "ci.hcl", Image: "kinit"},
	} {
		if _, err := Files(Kubernetes, o, sample(t)); err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
	if _, err := Files(Cron, Options{}, sample(t)[2:]); err == nil || err.Error() != "none of the jobs has a schedule, so there is nothing to write" {
		t.Errorf("got %v", err)
	}
}
