package export

import (
	"strings"
	"testing"

	"kinit/test/kube"
)

// The server holds objects to its schema, and their values to its rules.
func TestKubernetesTakesTheCronJobs(t *testing.T) {
	t.Parallel()
	server := kube.NewServer(t)
	create := func(content string) (string, error) {
		cmd := server.Kubectl(t.Context(), "create", "--dry-run=server", "--validate=strict", "--output=name", "-f", "-")
		cmd.Stdin = strings.NewReader(content)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	_, made := files(t, Kubernetes, options(t), append(sample(t), job(t, "web", "@daily", "Europe/Madrid"), job(t, "local", "@hourly", "")))
	if len(made) != 4 {
		t.Fatalf("%d files", len(made))
	}
	for _, f := range made {
		if out, err := create(f.Content); err != nil || out != "cronjob.batch/"+strings.TrimSuffix(f.Name, ".yaml")+"\n" {
			t.Errorf("%s: %v: %s", f.Name, err, out)
		}
	}
	for _, c := range []struct{ old, broken, want string }{
		{"backoffLimit:", "backofLimit:", `unknown field "spec.jobTemplate.spec.backofLimit"`},
		{"timeZone: UTC", "timeZone: Mars", `spec.timeZone: Invalid value: "Mars"`},
		{"concurrencyPolicy: Forbid", "concurrencyPolicy: Never", `spec.concurrencyPolicy: Unsupported value: "Never"`},
	} {
		if out, err := create(strings.Replace(made[0].Content, c.old, c.broken, 1)); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: got %v: %s", c.broken, err, out)
		}
	}
}
