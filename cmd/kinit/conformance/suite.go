package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Suite is the paths of a release's test programs.
type Suite struct {
	Tests   string // e2e.test
	Ginkgo  string
	Kubectl string // empty when it is not beside them: the one on PATH is used then
}

// ErrNoSuite means that a folder contains no suite.
var ErrNoSuite = errors.New("no suite")

// Find finds the programs in a folder: as kinit builds them, or as the release's archive
// kubernetes-test-linux-amd64.tar.gz has them.
func Find(folder string) (*Suite, error) {
	for _, inside := range []string{"", "kubernetes/test/bin", "test/bin"} {
		in := filepath.Join(folder, inside)
		s := &Suite{Tests: filepath.Join(in, "e2e.test"), Ginkgo: filepath.Join(in, "ginkgo"), Kubectl: filepath.Join(in, "kubectl")}
		if !runs(s.Tests) || !runs(s.Ginkgo) {
			continue
		}
		if !runs(s.Kubectl) {
			s.Kubectl = ""
		}
		return s, nil
	}
	return nil, fmt.Errorf("%w: there are no programs e2e.test and ginkgo in %s", ErrNoSuite, folder)
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// listed matches a line with the place and the name of a test.
var listed = regexp.MustCompile(`^\s+\S+:[0-9]+: (.*)$`)

// release matches the version of a release, such as v1.34.4.
var release = regexp.MustCompile(`v[0-9]+\.[0-9]+\.[0-9]+\S*`)

// Version is the release that the suite belongs to, such as v1.34.4.
func (s *Suite) Version(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, "--version")
	if err != nil {
		return "", err
	}
	if version := release.FindString(out); version != "" {
		return version, nil
	}
	return "", fmt.Errorf("ask %s for its version: it said %q", s.Tests, strings.TrimSpace(out))
}

// List names the tests that match an expression and not the other one, which may be empty.
func (s *Suite) List(ctx context.Context, focus, skip string) ([]string, error) {
	wanted, err := regexp.Compile(focus)
	if err != nil {
		return nil, fmt.Errorf("read the expression of --focus: %w", err)
	}
	unwanted, err := regexp.Compile(skip)
	if err != nil {
		return nil, fmt.Errorf("read the expression of --skip: %w", err)
	}
	out, err := s.ask(ctx, "--list-tests")
	if err != nil {
		return nil, err
	}
	var names []string
	for text := range strings.Lines(out) {
		match := listed.FindStringSubmatch(strings.TrimRight(text, "\n"))
		if match != nil && wanted.MatchString(match[1]) && (skip == "" || !unwanted.MatchString(match[1])) {
			names = append(names, match[1])
		}
	}
	return names, nil
}

// ask runs the suite for information that needs no cluster.
func (s *Suite) ask(ctx context.Context, flag string) (string, error) {
	folder, err := os.MkdirTemp("", "kinit-conformance-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	cmd := exec.CommandContext(ctx, s.Tests, flag)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "KUBECONFIG=")
	out, err := cmd.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return "", fmt.Errorf("ask the suite with %s %s: %w: %s", s.Tests, flag, err, strings.TrimSpace(string(failed.Stderr)))
	case err != nil:
		return "", fmt.Errorf("ask the suite with %s %s: %w", s.Tests, flag, err)
	}
	return string(out), nil
}
