// Package aptrepository is the module "apt_repository": a repository of packages
// for apt, with the key that signs it.
package aptrepository

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/repository"
)

// Task is a repository of packages for apt, with the key that signs it. It is in
// /etc/apt/sources.list.d/NAME.sources, in deb822 format, which apt supports since 1.1.
// Its key is trusted for this repository only.
//
// When the file or the key changes, apt reads the package lists of this repository; if it
// cannot read them, that is an error and the files are restored. Files that kinit makes are
// marked, and cleanup removes them; on a host that belongs to a cluster, foreign files
// are not replaced.
//
// Errors:
//   - apt cannot read the package lists, or the key does not verify them
//   - key is not a public key in ASCII armour; both or none of key and signed_by are given
//   - ppa is given, and neither suites nor the host says which release of Ubuntu
//   - a suite has no components, or a path that ends in "/" has some
//   - a file with that name has other content and the cluster does not own it
type Task struct {
	// Name is the file's name: letters, digits, "-", "_" and ".".
	Name string `hcl:"name"`
	// URIs are the repository's addresses, such as "https://deb.example/debian".
	URIs []string `hcl:"uris,optional"`
	// Suites are its suites, such as "bookworm", or a path that ends in "/" for a
	// repository without suites.
	Suites []string `hcl:"suites,optional"`
	// Components are its components, such as "main". With such a path it has none.
	Components []string `hcl:"components,optional"`
	// PPA is an archive of Launchpad, such as "nginx/stable", instead of uris and components.
	// Default of suites: the host's release of Ubuntu. The archive's page shows the fingerprint of
	// its key; give the key itself.
	PPA string `hcl:"ppa,optional"`
	// Types are the kinds of packages to get: binary ones, and their sources.
	Types []string `hcl:"types,optional" enum:"deb,deb-src" default:"deb"`
	// Architectures are the architectures to read, such as "amd64". Default: those of the host.
	Architectures []string `hcl:"architectures,optional"`
	// Key is the public key that signs the repository, in ASCII armour; it is stored in
	// /etc/apt/keyrings/kinit-NAME.asc. Read it from a file of the playbook: a key
	// that is fetched along with the packages proves nothing. Exactly one of key and
	// signed_by is given.
	Key string `hcl:"key,optional"`
	// SignedBy is the absolute path of a keyring that is already on the host.
	SignedBy string `hcl:"signed_by,optional" path:"clean"`
	// Options are further fields of the file, such as { "Check-Valid-Until" = "no" };
	// man 5 sources.list.
	Options map[string]string `hcl:"options,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "apt_repository"})
}

var (
	// fileName matches the names of files that apt reads.
	fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	// fieldName matches the name of a field in a sources file.
	fieldName = regexp.MustCompile(`^[A-Z][A-Za-z-]*$`)
)

func (t *Task) Validate() error {
	if !fileName.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want letters, digits, \"-\", \"_\" and \".\"", t.Name)
	}
	if t.Absent() {
		return nil
	}
	switch {
	case t.PPA == "" && len(t.URIs) == 0 || t.PPA == "" && len(t.Suites) == 0:
		return errors.New("uris or suites is empty, want at least one of each")
	case (t.Key == "") == (t.SignedBy == ""):
		return errors.New("want exactly one of key and signed_by")
	}
	if err := repository.CheckKey(t.Key); err != nil {
		return err
	}
	check := t.checkSuites
	if t.PPA != "" {
		check = t.checkPPA
	}
	if err := check(); err != nil {
		return err
	}
	return t.checkFields()
}

// checkSuites checks that only suites without a path have components.
func (t *Task) checkSuites() error {
	for _, suite := range t.Suites {
		if flat := strings.HasSuffix(suite, "/"); flat != (len(t.Components) == 0) {
			return fmt.Errorf("suites has %q and components has %d, want components with suites, and none with a path that ends in \"/\"",
				suite, len(t.Components))
		}
	}
	return nil
}

// checkFields refuses blanks and line ends, which would split a value.
func (t *Task) checkFields() error {
	for _, uri := range t.URIs {
		if u, err := url.Parse(uri); err != nil || u.Scheme == "" {
			return fmt.Errorf("uris has %q, want a URI such as \"https://deb.example/debian\"", uri)
		}
	}
	for name, values := range map[string][]string{
		"uris": t.URIs, "suites": t.Suites, "components": t.Components, "architectures": t.Architectures,
	} {
		for _, value := range values {
			if value == "" || strings.ContainsAny(value, " \t\r\n") {
				return fmt.Errorf("%s has %q, want words without blanks", name, value)
			}
		}
	}
	for name, value := range t.Options {
		if !fieldName.MatchString(name) || strings.ContainsAny(value, "\r\n") {
			return fmt.Errorf("options has %s = %q, want a field's name and one line", name, value)
		}
	}
	return nil
}

func (t *Task) path() string { return path.Join("/etc/apt/sources.list.d", t.Name+".sources") }

func (t *Task) keyPath() string {
	if t.SignedBy != "" {
		return t.SignedBy
	}
	return path.Join("/etc/apt/keyrings", "kinit-"+t.Name+".asc")
}

type Outputs struct {
	Path    string `cty:"path"`     // the file of the repository
	KeyPath string `cty:"key_path"` // the keyring
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (Outputs, error) {
	return Outputs{Path: t.path(), KeyPath: t.keyPath()}, ctx.Err()
}
