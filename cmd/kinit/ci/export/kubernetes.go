package export

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"

	"kinit/cmd/kinit/ci/jobs"
)

// The fields of a batch/v1 CronJob that kinit writes.
type (
	cronJob struct {
		APIVersion string      `yaml:"apiVersion"`
		Kind       string      `yaml:"kind"`
		Metadata   meta        `yaml:"metadata"`
		Spec       cronJobSpec `yaml:"spec"`
	}
	meta struct {
		Name   string            `yaml:"name,omitempty"`
		Labels map[string]string `yaml:"labels,omitempty"`
	}
	cronJobSpec struct {
		Schedule          string    `yaml:"schedule"`
		TimeZone          string    `yaml:"timeZone,omitempty"`
		ConcurrencyPolicy string    `yaml:"concurrencyPolicy"`
		StartingDeadline  int       `yaml:"startingDeadlineSeconds"`
		JobTemplate       templated `yaml:"jobTemplate"`
	}
	templated struct {
		Spec jobSpec `yaml:"spec"`
	}
	jobSpec struct {
		BackoffLimit int         `yaml:"backoffLimit"`
		Deadline     int         `yaml:"activeDeadlineSeconds"`
		Template     podTemplate `yaml:"template"`
	}
	podTemplate struct {
		Metadata meta    `yaml:"metadata"`
		Spec     podSpec `yaml:"spec"`
	}
	podSpec struct {
		RestartPolicy string      `yaml:"restartPolicy"`
		Grace         int         `yaml:"terminationGracePeriodSeconds"`
		Containers    []container `yaml:"containers"`
		Volumes       []volume    `yaml:"volumes"`
	}
	container struct {
		Name       string   `yaml:"name"`
		Image      string   `yaml:"image"`
		WorkingDir string   `yaml:"workingDir"`
		Command    []string `yaml:"command"`
		Mounts     []mount  `yaml:"volumeMounts"`
	}
	mount struct {
		Name     string `yaml:"name"`
		Path     string `yaml:"mountPath"`
		ReadOnly bool   `yaml:"readOnly,omitempty"`
	}
	volume struct {
		Name   string         `yaml:"name"`
		Claim  map[string]any `yaml:"persistentVolumeClaim,omitempty"`
		Secret map[string]any `yaml:"secret,omitempty"`
	}
)

// The inputs of a pod: persistent results, and keys to reach the hosts.
const (
	resultsClaim  = "kinit-ci-results"
	resultsFolder = "/var/lib/kinit-ci"
	sshSecret     = "kinit-ci-ssh"
)

// kubernetes makes a CronJob of each job. A failed pod is not repeated: the job's
// own retries distinguish failures of the infrastructure from those of the product.
func kubernetes(o Options, list []jobs.Job) ([]File, error) {
	if o.Image == "" {
		return nil, errors.New("the image that has kinit and the file of jobs in it is missing: give --image")
	}
	if !filepath.IsAbs(o.File) {
		return nil, errors.New("where the file of jobs is in the image is missing: give --file with an absolute path")
	}
	comment := fmt.Sprintf("# The image has kinit and %s. Results are kept in the claim %s, and keys for SSH,\n# with known_hosts, are those of the secret %s.\n", o.File, resultsClaim, sshSecret)
	var files []File
	for _, j := range list {
		name := objectName(j.Address())
		labels := map[string]string{"app.kubernetes.io/name": "kinit-ci", "app.kubernetes.io/instance": labelValue(j.Name)}
		words := append(command(o, j), "--results", resultsFolder+"/results", "--site", resultsFolder+"/site")
		c := cronJob{APIVersion: "batch/v1", Kind: "CronJob", Metadata: meta{Name: name, Labels: labels}, Spec: cronJobSpec{
			Schedule: j.Schedule.Plain(), TimeZone: j.Schedule.Zone, ConcurrencyPolicy: "Forbid", StartingDeadline: 3600,
			JobTemplate: templated{jobSpec{Deadline: minutes(j) * 60, Template: podTemplate{Metadata: meta{Labels: labels}, Spec: podSpec{
				RestartPolicy: "Never", Grace: int(j.CleanupTimeout.Seconds()) + 60,
				Containers: []container{{Name: "kinit", Image: o.Image, WorkingDir: filepath.Dir(o.File), Command: words,
					Mounts: []mount{{Name: "results", Path: resultsFolder}, {Name: "ssh", Path: "/root/.ssh", ReadOnly: true}}}},
				Volumes: []volume{
					{Name: "results", Claim: map[string]any{"claimName": resultsClaim}},
					{Name: "ssh", Secret: map[string]any{"secretName": sshSecret, "defaultMode": 0o400}},
				},
			}}}},
		}}
		file, err := yamlFile(o, name+".yaml", comment, c)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// mostName is the longest name of a CronJob: the controller adds eleven characters to it,
// and names of jobs have 63 at most.
const mostName = 52

// objectName converts an address to the name of an object: a DNS label. A long one
// ends with a digest of the whole, so that names remain unique.
func objectName(address string) string {
	name := "kinit-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(address))
	if len(name) <= mostName {
		return strings.TrimRight(name, "-")
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(address)) // a hash takes everything
	return fmt.Sprintf("%s-%08x", strings.TrimRight(name[:mostName-9], "-"), sum.Sum32())
}

// labelValue converts a name to the value of a label: at most 63 characters, with a
// letter or a digit at the end.
func labelValue(name string) string {
	return strings.TrimRight(name[:min(len(name), 63)], "-_.")
}
