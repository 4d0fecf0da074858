package facts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// system is the machine's properties without its network.
type system struct {
	hostname, osID, osVersion string
	osFamily, osCodename      string
	selinux, manager          string
	mounts                    map[string]Mount
	kernel, machine           string
	cpus, memory, available   int64 // the last two in bytes
	kvm                       bool
	container                 string // the container manager, such as "podman"; empty if it is not a container
	cgroups                   int64  // the version of control groups for its services
	pace                      float64
}

// processor returns the command that prints the machine's name, which no file has, its speed, and
// after a line of its own what is mounted: one command, because each costs a round trip. The file of
// mounts is below the process that reads it, so a read over SFTP cannot go on after a new login.
func processor() module.Command {
	return module.Command{Argv: []string{"sh", "-c", "uname -m\n" + pace.Script() + "\necho " + mountsFile + "\ncat " + mountsFile}}
}

// readSystem reads files, and asks the processor.
func readSystem(ctx context.Context, h module.Host) (system, error) {
	var s system
	texts := map[string]string{}
	for _, path := range []string{"/etc/os-release", "/proc/sys/kernel/hostname", "/proc/sys/kernel/osrelease", "/proc/cpuinfo", "/proc/meminfo"} {
		text, err := content.ReadAll(ctx, h, path)
		if err != nil {
			return s, fmt.Errorf("read %s: %w", path, err)
		}
		texts[path] = string(text)
	}
	out, err := h.Run(ctx, processor())
	if err != nil {
		return s, err
	}
	said, mounted, _ := strings.Cut(out.Stdout, "\n"+mountsFile+"\n")
	machine, _, _ := strings.Cut(said, "\n")
	release := pairs(texts["/etc/os-release"], "=")
	memory := pairs(texts["/proc/meminfo"], ":")
	s = system{
		hostname: strings.TrimSpace(texts["/proc/sys/kernel/hostname"]),
		osID:     release["ID"], osVersion: release["VERSION_ID"], osCodename: release["VERSION_CODENAME"], osFamily: family(release["ID"], release["ID_LIKE"]),
		kernel: strings.TrimSpace(texts["/proc/sys/kernel/osrelease"]), machine: strings.TrimSpace(machine),
		cpus: processors(texts["/proc/cpuinfo"]), memory: kibibytes(memory["MemTotal"]), available: kibibytes(memory["MemAvailable"]),
		pace: module.NotePace(h, pace.Parse(said)), mounts: mounts(mounted),
	}
	_, err = h.Files().Stat(ctx, "/dev/kvm")
	s.kvm = err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := s.readSELinux(ctx, h); err != nil {
		return s, err
	}
	if s.manager, err = serviceManager(ctx, h); err != nil {
		return s, err
	}
	return s, s.readContainer(ctx, h)
}

// families are the systems that others are made from, by their names in os-release.
var families = map[string]string{
	"debian": "debian", "ubuntu": "debian",
	"rhel": "rhel", "fedora": "rhel", "centos": "rhel",
	"suse": "suse", "opensuse": "suse", "sles": "suse",
}

// family returns the family of a system by ID and ID_LIKE of os-release (man 5 os-release), or
// its ID.
func family(id, like string) string {
	for _, name := range strings.Fields(id + " " + like) {
		if found := families[name]; found != "" {
			return found
		}
	}
	return id
}

// enforceFile exists only if the kernel has SELinux, and says whether it enforces
// (man 8 selinux, selinuxfs).
const enforceFile = "/sys/fs/selinux/enforce"

func (s *system) readSELinux(ctx context.Context, h module.Host) error {
	text, there, err := hostfile.Read(ctx, h, enforceFile)
	switch {
	case err != nil || !there:
	case strings.TrimSpace(text) == "1":
		s.selinux = "enforcing"
	default:
		s.selinux = "permissive"
	}
	return err
}

// containerFile is where systemd records the container manager
// (systemd, src/core/manager.c and man 5 org.freedesktop.systemd1, "Virtualization").
const containerFile = "/run/systemd/container"

// unifiedFile exists only if control groups version 2 alone are mounted
// (Linux, Documentation/admin-guide/cgroup-v2.rst).
const unifiedFile = "/sys/fs/cgroup/cgroup.controllers"

// readContainer reads whether the machine shares its kernel, and its control groups.
func (s *system) readContainer(ctx context.Context, h module.Host) error {
	text, there, err := hostfile.Read(ctx, h, containerFile)
	if err != nil {
		return err
	}
	if there {
		s.container = strings.TrimSpace(text)
	}
	unified, err := hostfile.Exists(ctx, h, unifiedFile)
	s.cgroups = 1
	if unified {
		s.cgroups = 2
	}
	return err
}

// pairs reads lines of names and values, which may be in quotes.
func pairs(text, separator string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(strings.TrimSpace(line), separator)
		if found {
			all[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return all
}

// processors counts the processors of /proc/cpuinfo: on every architecture, each has a
// line that begins its entry.
func processors(text string) int64 {
	n := int64(0)
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "processor" {
			n++
		}
	}
	return n
}

// kibibytes turns "24684092 kB" of /proc/meminfo into bytes. The kernel says kB
// and means KiB.
func kibibytes(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// arch returns the machine's name in Debian, Go and Kubernetes.
func arch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	case "i686", "i386":
		return "386"
	case "armv7l":
		return "arm"
	}
	return machine // such as s390x, riscv64, ppc64le
}
