package aptrepository

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/packages"
)

// archiveName matches the owner and the name of a PPA.
var archiveName = regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$`)

// checkPPA returns the mistake in the arguments of a repository that is a PPA.
func (t *Task) checkPPA() error {
	if name, found := strings.CutPrefix(t.PPA, "ppa:"); found {
		return fmt.Errorf("ppa is %q, want it without \"ppa:\", as in %q", t.PPA, name)
	}
	if !archiveName.MatchString(t.PPA) {
		return fmt.Errorf("ppa is %q, want the owner and the name of the archive, such as \"nginx/stable\"", t.PPA)
	}
	if len(t.URIs)+len(t.Components) > 0 {
		return errors.New("uris and components follow from ppa, want them without it")
	}
	for _, suite := range t.Suites {
		if strings.HasSuffix(suite, "/") {
			return fmt.Errorf("suites has %q, want a release of Ubuntu such as \"noble\"", suite)
		}
	}
	return nil
}

// resolved returns the task with the address, the suite and the components of its PPA.
func (t *Task) resolved(ctx context.Context, h module.Host) (*Task, error) {
	if t.PPA == "" {
		return t, nil
	}
	one := *t
	one.URIs, one.Components = []string{"https://ppa.launchpadcontent.net/" + t.PPA + "/ubuntu"}, []string{"main"}
	if len(t.Suites) > 0 {
		return &one, nil
	}
	release, _, err := hostfile.Read(ctx, h, "/etc/os-release")
	if err != nil {
		return nil, err
	}
	suite := packages.OSRelease(release, "UBUNTU_CODENAME") // also of what is made of Ubuntu
	if suite == "" {
		return nil, errors.New("suites: /etc/os-release has no UBUNTU_CODENAME: give the release of Ubuntu that this host can use")
	}
	one.Suites = []string{suite}
	return &one, nil
}
