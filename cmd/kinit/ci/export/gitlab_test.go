package export

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/test/gitlabci"
)

// pipeline is the export of the sample and the program that reads it.
func pipeline(t *testing.T) (program, content string) {
	t.Helper()
	program = gitlabci.Program(t, "../../../..")
	_, made := files(t, GitLab, options(t), sample(t))
	return program, made[0].Content
}

func TestGitLabRunsTheJobThatIsDue(t *testing.T) {
	t.Parallel()
	program, content := pipeline(t)
	// job is one of the sample as GitLab sees it.
	job := func(name, period, when string, allowFailure bool) gitlabci.Job {
		return gitlabci.Job{Name: name + "-periodic-" + period, Stage: "test", When: when, AllowFailure: allowFailure, Rules: []map[string]any{
			{"if": `$CI_PIPELINE_SOURCE == "schedule" && $KINIT_JOB == "` + name + `"`},
			{"if": `$CI_PIPELINE_SOURCE == "web"`, "when": "manual", "allow_failure": true},
		}}
	}
	both, k8s := "both.Days_"+strings.Repeat("x", 60), "k8s-libvirt-1-1-1"
	for _, c := range []struct {
		name      string
		variables []string
		want      []gitlabci.Job
	}{
		{"on a schedule", []string{"CI_PIPELINE_SOURCE=schedule", "KINIT_JOB=" + k8s},
			[]gitlabci.Job{job(both, "hourly", "never", false), job(k8s, "weekly", "on_success", false)}},
		{"by hand", []string{"CI_PIPELINE_SOURCE=web"},
			[]gitlabci.Job{job(both, "hourly", "manual", true), job(k8s, "weekly", "manual", true)}},
		{"never on a push", []string{"CI_PIPELINE_SOURCE=push", "KINIT_JOB=" + k8s},
			[]gitlabci.Job{job(both, "hourly", "never", false), job(k8s, "weekly", "never", false)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := gitlabci.Jobs(t, program, content, c.variables...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without this, a program that accepts everything would do.
func TestGitLabRefusesABrokenPipeline(t *testing.T) {
	t.Parallel()
	program, content := pipeline(t)
	for _, c := range []struct{ name, old, broken, want string }{
		{"unknown keyword", "resource_group:", "resource_groups:", "'resource_groups' property is not expected to be here at k8s-libvirt-1-1-1-periodic-weekly"},
		{"unknown value", "when: manual", "when: sometimes", "'when' property must be one of [on_success, on_failure, always, never, manual, delayed] (found sometimes)"},
		{"missing job", "interruptible: false", "needs: [none]", "needs: [none] for "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			broken := strings.ReplaceAll(content, c.old, c.broken)
			if _, err := gitlabci.Jobs(t, program, broken); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
