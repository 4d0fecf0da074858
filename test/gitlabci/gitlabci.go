// Package gitlabci reads pipelines as GitLab does, with gitlab-ci-local: it holds them to
// GitLab's own JSON schema, resolves what jobs need, and evaluates their rules.
package gitlabci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/test/npm"
)

// Job is a job of a pipeline after its rules were evaluated.
type Job struct {
	Name         string           `json:"name"`
	Stage        string           `json:"stage"`
	When         string           `json:"when"` // "never" when no rule applies
	AllowFailure bool             `json:"allow_failure"`
	Needs        []map[string]any `json:"needs"`
	Rules        []map[string]any `json:"rules"`
}

// Program is gitlab-ci-local, for Node 20 and newer. It is one script that has everything
// it needs in it. The test is skipped where it cannot be had, and fails when KINIT_REQUIRE
// asks for it.
func Program(t testing.TB, root string) string {
	t.Helper()
	need.Programs(t, "gitlab", "node", "git", "id")
	return filepath.Join(npm.Package(t, root, "gitlab", "gitlab-ci-local", "4.73.0"), "dist", "index.js")
}

// Jobs lists the jobs of a pipeline that has the variables, in the order of the file, or
// says why GitLab would refuse it. Nothing is run: the program gets a new repository, no
// environment, and a PATH with neither a container engine nor anything else it could start
// but git and id.
func Jobs(t testing.TB, program, pipeline string, variables ...string) ([]Job, error) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	dir := repository(t, pipeline)
	args := []string{program, "--list-json", "--ignore-predefined-vars", "CI_PIPELINE_SOURCE"}
	for _, v := range variables {
		args = append(args, "--variable", v)
	}
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + t.TempDir(), "PATH=" + path(t, "git", "id")}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(complaints.String()))
	}
	var jobs []Job
	if err := json.Unmarshal(out, &jobs); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return jobs, nil
}

// repository makes one with the pipeline in its folder.
func repository(t testing.TB, pipeline string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitlab-ci.yml"), []byte(pipeline), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// path makes a folder in which the programs are alone.
func path(t testing.TB, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, program := range programs {
		found, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(dir, program)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
