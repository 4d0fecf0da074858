package export

import (
	"cmp"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"kinit/cmd/kinit/ci/jobs"
)

// The fields of a GitHub Actions workflow that kinit writes.
type (
	workflow struct {
		Name        string             `yaml:"name"`
		On          workflowOn         `yaml:"on"`
		Permissions map[string]string  `yaml:"permissions"`
		Concurrency concurrency        `yaml:"concurrency"`
		Jobs        map[string]workJob `yaml:"jobs"`
	}
	workflowOn struct {
		Schedule []workCron `yaml:"schedule"`
		Dispatch struct{}   `yaml:"workflow_dispatch"`
	}
	workCron struct {
		Cron string `yaml:"cron"`
	}
	concurrency struct {
		Group  string `yaml:"group"`
		Cancel bool   `yaml:"cancel-in-progress"`
	}
	workJob struct {
		RunsOn  []string   `yaml:"runs-on,flow"`
		Timeout int        `yaml:"timeout-minutes"`
		Steps   []workStep `yaml:"steps"`
	}
	workStep struct {
		Name string            `yaml:"name"`
		Uses string            `yaml:"uses,omitempty"`
		If   string            `yaml:"if,omitempty"`
		Run  string            `yaml:"run,omitempty"`
		With map[string]string `yaml:"with,omitempty"`
	}
)

// github makes a workflow of each job. GitHub's schedules are in UTC only, so a job in
// another time zone is refused: half of the year it would run at another hour. A run of
// a job waits for the previous one instead of cancelling it, so that it can clean up.
func github(o Options, list []jobs.Job) ([]File, error) {
	var files []File
	for _, j := range list {
		if z := j.Schedule.Zone; z != "UTC" && z != "Etc/UTC" {
			return nil, fmt.Errorf("the job %q is due in the time zone %q, and GitHub knows schedules in UTC only; give it time_zone = \"UTC\"", j.Name, cmp.Or(z, "of the machine"))
		}
		w := workflow{
			Name: j.Address(), On: workflowOn{Schedule: []workCron{{j.Schedule.Plain()}}}, Permissions: map[string]string{"contents": "read"},
			Concurrency: concurrency{Group: "kinit-ci-" + j.Address()},
			Jobs: map[string]workJob{"run": {
				RunsOn: []string{"self-hosted", o.Runner}, Timeout: minutes(j),
				Steps: []workStep{
					{Name: "Check out", Uses: "actions/checkout@v4"},
					{Name: "Deploy, run again, verify, clean up", Run: line(o, j) + ` --site "$RUNNER_TEMP/site"`},
					{Name: "Keep the site", If: "always()", Uses: "actions/upload-artifact@v4",
						With: map[string]string{"name": "site", "path": "${{ runner.temp }}/site"}},
				},
			}},
		}
		file, err := yamlFile(o, ".github/workflows/"+j.Address()+".yml", "", w)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func yamlFile(o Options, name, comment string, value any) (File, error) {
	text, err := yaml.Marshal(value)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", filepath.Base(name), err)
	}
	return File{name, made(o) + comment + string(text)}, nil
}
