// Package export writes jobs for an existing scheduler: systemd, cron,
// GitHub, GitLab or Kubernetes. Each of them starts 'kinit ci run' for one job; the job and
// its results are the same with every scheduler.
package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/engine/shell"
)

// As is the scheduler.
type As string

// The schedulers.
const (
	Systemd    As = "systemd"
	Cron       As = "cron"
	GitHub     As = "github"
	GitLab     As = "gitlab"
	Kubernetes As = "kubernetes"
)

// All are all schedulers.
func All() []As { return []As{Systemd, Cron, GitHub, GitLab, Kubernetes} }

// Options control how jobs are started.
type Options struct {
	Program string // the path of kinit where the jobs will run
	File    string // the path of the file of jobs there
	Image   string // for Kubernetes and GitLab: the image that has kinit in it
	Runner  string // for GitHub: the label of the runners that reach the hosts
}

// File is a generated file.
type File struct {
	Name    string
	Content string
}

// Files generates the scheduler's files for jobs with a schedule. People start the
// others.
func Files(as As, o Options, list []jobs.Job) ([]File, error) {
	due := slices.DeleteFunc(slices.Clone(list), func(j jobs.Job) bool { return j.Schedule == nil })
	if len(due) == 0 {
		return nil, fmt.Errorf("none of the jobs has a schedule, so there is nothing to write")
	}
	write := map[As]func(Options, []jobs.Job) ([]File, error){
		Systemd: systemd, Cron: cron, GitHub: github, GitLab: gitlab, Kubernetes: kubernetes,
	}[as]
	return write(o, due)
}

func command(o Options, j jobs.Job) []string {
	return []string{o.Program, "ci", "run", o.File, "--job", j.Name}
}

func line(o Options, j jobs.Job) string { return shell.POSIX(command(o, j)...) }

// made is the header of each file.
func made(o Options) string {
	return "# Made by 'kinit ci export' of " + filepath.Base(o.File) + "; export again instead of editing it.\n"
}

// minutes returns a job's time limit, including the clean-up of all attempts, rounded up.
func minutes(j jobs.Job) int {
	whole := (j.Timeout + j.CleanupTimeout) * time.Duration(j.Retries+1)
	return int(whole.Minutes()) + 5
}
