package export

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"kinit/cmd/kinit/ci/jobs"
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
		w := fields{
			"name", j.Address(), "on", fields{"schedule", []fields{{"cron", j.Schedule.Plain()}}, "workflow_dispatch", fields{}},
			"permissions", fields{"contents", "read"}, "concurrency", fields{"group", "kinit-ci-" + j.Address(), "cancel-in-progress", false},
			"jobs", fields{"run", fields{
				"runs-on", inline{"self-hosted", o.Runner}, "timeout-minutes", minutes(j),
				"env", fields{"KINIT_TRUST_DIR", "${{ github.workspace }}"}, // containers see it as another user's
				"steps", []fields{
					{"name", "Check out", "uses", "actions/checkout@v4"},
					{"name", "Deploy, run again, verify, clean up", "run", line(o, j) + ` --site "$RUNNER_TEMP/site"`},
					{"name", "Keep the site", "uses", "actions/upload-artifact@v4", "if", "always()",
						"with", fields{"name", "site", "path", "${{ runner.temp }}/site"}},
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

// fields is an object of YAML: names and values by turns. An empty text is left out.
type fields []any

// MarshalYAML keeps the order.
func (f fields) MarshalYAML() (any, error) {
	object := &yaml.Node{Kind: yaml.MappingNode}
	for pair := range slices.Chunk(f, 2) {
		if pair[1] == "" {
			continue
		}
		var name, value yaml.Node
		if err := errors.Join(name.Encode(pair[0]), value.Encode(pair[1])); err != nil {
			return nil, err
		}
		object.Content = append(object.Content, &name, &value)
	}
	return object, nil
}

// inline is a list of YAML on one line.
type inline []string

// MarshalYAML writes the list in brackets.
func (l inline) MarshalYAML() (any, error) {
	list := &yaml.Node{}
	err := list.Encode([]string(l))
	list.Style = yaml.FlowStyle
	return list, err
}
