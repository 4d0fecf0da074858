package export

import (
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"

	"kinit/cmd/kinit/ci/jobs"
)

// The inputs of a pod: persistent results, and keys to reach the hosts.
const (
	resultsClaim  = "kinit-ci-results"
	resultsFolder = "/var/lib/kinit-ci"
	sshSecret     = "kinit-ci-ssh"
	sshFolder     = "/root/.ssh"
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
		c := fields{
			"apiVersion", "batch/v1", "kind", "CronJob", "metadata", fields{"name", name, "labels", labels},
			"spec", fields{
				"schedule", j.Schedule.Plain(), "timeZone", j.Schedule.Zone, "concurrencyPolicy", "Forbid", "startingDeadlineSeconds", 3600,
				"jobTemplate", fields{"spec", fields{
					"backoffLimit", 0, "activeDeadlineSeconds", minutes(j) * 60,
					"template", fields{"metadata", fields{"labels", labels}, "spec", pod(o, j)},
				}},
			},
		}
		file, err := yamlFile(o, name+".yaml", comment, c)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// pod is the specification of a job's pod.
func pod(o Options, j jobs.Job) fields {
	return fields{
		"restartPolicy", "Never", "terminationGracePeriodSeconds", int(j.CleanupTimeout.Seconds()) + 60,
		"containers", []fields{{
			"name", "kinit", "image", o.Image, "workingDir", filepath.Dir(o.File),
			"command", append(command(o, j), "--results", resultsFolder+"/results", "--site", resultsFolder+"/site"),
			"env", []fields{{"name", "KINIT_TRUST_DIR", "value", sshFolder}}, // Kubernetes makes folders of secrets writable for all, and mounts them read-only
			"volumeMounts", []fields{{"name", "results", "mountPath", resultsFolder}, {"name", "ssh", "mountPath", sshFolder, "readOnly", true}},
		}},
		"volumes", []fields{
			{"name", "results", "persistentVolumeClaim", fields{"claimName", resultsClaim}},
			{"name", "ssh", "secret", fields{"defaultMode", 0o400, "secretName", sshSecret}},
		},
	}
}

// mostName is the longest name of a CronJob: the controller adds eleven characters to it,
// and names of jobs have 63 at most.
const mostName = 52

// objectName converts an address to the name of an object: a DNS label. One that is changed
// or long ends with a digest of the address, so that names remain unique.
func objectName(address string) string {
	name := "kinit-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(address))
	if name == "kinit-"+address && len(name) <= mostName {
		return name
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(address)) // a hash takes everything
	return fmt.Sprintf("%s-%08x", strings.TrimRight(name[:min(len(name), mostName-9)], "-"), sum.Sum32())
}

// labelValue converts a name to the value of a label: at most 63 characters, with a
// letter or a digit at the end.
func labelValue(name string) string {
	return strings.TrimRight(name[:min(len(name), 63)], "-_.")
}
