// Package packagestest makes repositories of empty packages for tests: real ones,
// for apt, dnf, zypper and pacman on a roottest.Host.
package packagestest

import (
	_ "embed"
	"testing"

	"kinit/engine/module"
	"kinit/modules/internal/roottest"
)

// Folder is where the repositories are on the host.
const Folder = "/tmp/repository"

// debScript makes Debian packages of the name $2 in the versions that follow, and
// the index of the folder $1.
//
//go:embed deb.sh
var debScript string

// Deb makes a folder with packages for apt, which can be a repository.
func Deb(t testing.TB, h *roottest.Host, name string, versions ...string) {
	t.Helper()
	h.Shell(t, debScript, append([]string{Folder, name}, versions...)...)
}

// Apt makes a repository for apt and has apt know no other.
func Apt(t testing.TB, h *roottest.Host, name string, versions ...string) {
	t.Helper()
	Deb(t, h, name, versions...)
	h.Shell(t, `rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
echo "deb [trusted=yes] file:$1 ./" >/etc/apt/sources.list; apt-get -q update`, Folder)
}

// rpmScript makes packages for rpm as debScript does.
//
//go:embed rpm.sh
var rpmScript string

// RPM makes a repository for dnf and zypper and has them know no other.
func RPM(t testing.TB, h *roottest.Host, name string, versions ...string) {
	t.Helper()
	h.Shell(t, rpmScript, append([]string{Folder, name}, versions...)...)
	h.Shell(t, `rm -rf /etc/yum.repos.d /etc/zypp/repos.d; mkdir -p /etc/yum.repos.d /etc/zypp/repos.d
printf '[test]\nname=test\nbaseurl=file://%s\ngpgcheck=0\nenabled=1\n' "$1" | tee /etc/yum.repos.d/test.repo >/etc/zypp/repos.d/test.repo
! test -e /etc/dnf/plugins/local.conf || printf '[main]\nenabled=0\n' >/etc/dnf/plugins/local.conf`, Folder)
}

// pacmanScript puts a package of the name $2 and the version $3 into the folder $1, in place of
// its other versions there, and has pacman know no other folder.
//
//go:embed pacman.sh
var pacmanScript string

// Pacman puts a package into a repository for pacman, which has one version of each. The files
// of the other versions stay.
func Pacman(t testing.TB, h *roottest.Host, name, version string) {
	t.Helper()
	h.Shell(t, pacmanScript, Folder, name, version)
}

// Needing makes a package that needs another one of the repository of apt, dnf or pacman. When apt purges
// it, its data in a folder of its name in /srv goes.
func Needing(t testing.TB, h *roottest.Host, program, name, version, needs string) {
	t.Helper()
	script := map[string]string{"apt": debScript, "dnf": rpmScript, "pacman": pacmanScript}[program]
	h.Shell(t, "needs=$1; shift\n"+script, needs, Folder, name, version)
	if program == "apt" {
		h.Shell(t, "apt-get -q update")
	}
}

// keyScript makes a key, has $2 sign with it in the folder $1, and prints the public
// key.
//
//go:embed key.sh
var keyScript string

// SignDeb signs the folder with a new key, as an archive does, and returns the public
// one.
func SignDeb(t testing.TB, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, keyScript, Folder, `sum=$(sha256sum Packages | cut -d" " -f1)
printf 'Date: %s\nSHA256:\n %s %s Packages\n' "$(date -uR)" "$sum" "$(stat -c %s Packages)" >Release
gpg --batch --yes --quiet --clear-sign -o InRelease Release`, "ed25519")
}

// SignRPM is SignDeb for the package lists of a repository for dnf.
func SignRPM(t testing.TB, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, keyScript, Folder, `gpg --batch --yes --quiet --armor --detach-sign -o repodata/repomd.xml.asc repodata/repomd.xml`, "rsa3072")
}

// Files lists the files in folders, which need not exist.
func Files(t testing.TB, h *roottest.Host, folders ...string) string {
	t.Helper()
	return h.Shell(t, `find "$@" -type f 2>/dev/null || true`, folders...)
}

// Contract is that of a module of repositories. host returns a machine with a signed repository and its public key,
// which args turns into the arguments of a task, and files lists what the module has made.
func Contract[T module.Task](t *testing.T, host func(t *testing.T, owner string) (*roottest.Host, string),
	task func(t *testing.T, args string) T, args func(key, more string) string, files func(*testing.T, *roottest.Host) string) {
	t.Helper()
	var key string
	roottest.Contract(t, func(owner string) (h *roottest.Host) {
		h, key = host(t, owner)
		return h
	},
		func() module.Task { return task(t, args(key, "")) },
		func() module.Task { return task(t, "name = \"kinit-test\"\nstate = \"absent\"") },
		func(h *roottest.Host) string { return files(t, h) })
}
