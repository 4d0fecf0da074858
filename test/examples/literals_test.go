package examples

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// notPinned are texts of Go code that name a site or a version and choose nothing that is
// fetched, by the folder or file that has them and their beginning.
var notPinned = []struct{ where, found, why string }{
	{"", "http://www.w3.org/", "a name space of XML"},
	{"", "http://schemas.", "a name space of XML"},
	{"cmd/kinit/ci/site/feeds.go", "https://jsonfeed.org/version/", "the version of a format"},
	{"cmd/kinit/conformance.go", "https://dl.k8s.io/VERSION/", "a hint what to unpack, for users of another suite"},
	{"engine/internal/eval/", "1.", "versions that functions compare in their examples"},
	{"engine/internal/eval/", "v2.", "versions that functions compare in their examples"},
	{"modules/apt_repository/ppa.go", "https://ppa.launchpadcontent.net/", "the site of the archives that a playbook names by ppa"},
	{"modules/package/", "7.88.1", "an example in an error"},
	{"modules/kubeadm/", "v1.34.4", "an example in an error"},
	{"modules/kubectl_versions/", "v1.34.4", "an example in an error"},
	{"test/e2e/upgrade_test.go", "v1.", "versions to which a cluster may not go"},
	{"test/e2e/roles_test.go", "v1.", "versions of a stand-in for k3s"},
}

// reserved are names of sites that no one owns.
var reserved = regexp.MustCompile(`^https?://(?:[a-z0-9-]+\.)*(?:example|invalid|example\.(?:com|org|net))(?:[/:]|$)`)

// TestNoGoCodeNamesWhatIsFetched looks at all texts in the program's own code, and in the
// end-to-end tests, which deploy what is pinned.
func TestNoGoCodeNamesWhatIsFetched(t *testing.T) {
	t.Parallel()
	used := map[int]bool{}
	root := os.DirFS("../..")
	for _, folder := range []string{"cmd", "engine", "modules", "test/e2e"} {
		err := fs.WalkDir(root, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") && folder != "test/e2e" {
				return err
			}
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			for at, literal := range literals(name, text) {
				for _, found := range whatIsFetched(literal) {
					known := reserved.MatchString(found)
					for i, except := range notPinned {
						if strings.HasPrefix(name, except.where) && strings.HasPrefix(found, except.found) {
							known, used[i] = true, true
						}
					}
					if !known {
						t.Errorf("%s names %s, which is not among the pins: put it into specs/pins.json", at, found)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, except := range notPinned {
		if !used[i] {
			t.Errorf("no text in %q begins with %q (%s) any more", except.where, except.found, except.why)
		}
	}
}

func TestTextsOfGoCodeAreSearched(t *testing.T) {
	t.Parallel()
	const code = "package a\n\n// See https://a.dev/ and v1.2.3.\nconst a = \"https://dl.b.io/v1.2.3/x\" + `registry.k8s.io/pause:3.10.1` + \"10.0.0.1 1.2\"\n"
	var all []string
	for at, literal := range literals("a.go", []byte(code)) {
		for _, found := range whatIsFetched(literal) {
			all = append(all, at+" "+found)
		}
	}
	want := "a.go:4:11 https://dl.b.io/v1.2.3/x|a.go:4:11 v1.2.3|a.go:4:40 registry.k8s.io/pause:3.10.1|a.go:4:40 3.10.1"
	if got := strings.Join(all, "|"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

// whatIsFetched finds sites, images with a tag and versions in a text.
func whatIsFetched(text string) []string {
	all := outside[0].FindAllString(text, -1)
	for _, image := range outside[1].FindAllString(text, -1) {
		if strings.ContainsAny(image, ":@") {
			all = append(all, image)
		}
	}
	for _, m := range release.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// literals are the texts of a Go file, in their order, each with its place.
func literals(name string, text []byte) func(yield func(at, literal string) bool) {
	return func(yield func(at, literal string) bool) {
		files := token.NewFileSet()
		file := files.AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, 0)
		for {
			pos, kind, literal := s.Scan()
			if kind == token.EOF || kind == token.STRING && !yield(files.Position(pos).String(), strings.Trim(literal, "\"`")) {
				return
			}
		}
	}
}
