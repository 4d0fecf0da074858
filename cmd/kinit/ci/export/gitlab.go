package export

import (
	"fmt"
	"strings"

	"kinit/cmd/kinit/ci/jobs"
)

// gitlab makes a pipeline with all jobs. GitLab keeps schedules in the project's settings
// and not in the file, so the comment says which ones to make: each sets the variable
// KINIT_JOB.
func gitlab(o Options, list []jobs.Job) ([]File, error) {
	var comment strings.Builder
	comment.WriteString("#\n# Make a pipeline schedule for each job, under Build > Pipeline schedules:\n#\n")
	all := map[string]fields{}
	for _, j := range list {
		zone := ""
		if j.Schedule.Zone != "" {
			zone = ", time zone " + j.Schedule.Zone
		}
		fmt.Fprintf(&comment, "#   interval %s%s, variable KINIT_JOB = %s\n", j.Schedule.Plain(), zone, j.Name)
		all[j.Address()] = fields{
			"image", o.Image, "variables", fields{"KINIT_TRUST_DIR", "$CI_PROJECT_DIR"}, // GitLab's containers make it writable for all
			"rules", []fields{
				{"if", fmt.Sprintf(`$CI_PIPELINE_SOURCE == "schedule" && $KINIT_JOB == %q`, j.Name)},
				{"allow_failure", true, "if", `$CI_PIPELINE_SOURCE == "web"`, "when", "manual"},
			},
			"resource_group", resourceGroup(j), "interruptible", false, "timeout", fmt.Sprintf("%d minutes", minutes(j)),
			"script", []string{line(o, j) + ` --site "$CI_PROJECT_DIR/site"`},
			"artifacts", fields{"paths", []string{"site"}, "when", "always"},
		}
	}
	file, err := yamlFile(o, ".gitlab-ci.yml", comment.String(), all)
	return []File{file}, err
}

// resourceGroup names a job's exclusive resources: its hosts. GitLab allows letters,
// digits, '-', '_', '/', '$', '{', '}', '.' and blanks.
func resourceGroup(j jobs.Job) string {
	name := strings.Join(append([]string{"kinit"}, j.Hosts...), "-")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
}
