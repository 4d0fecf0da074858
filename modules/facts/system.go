package facts

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// processor returns the command that prints the machine's name, which no file has, its speed, and
// after a line of its own what is mounted: one command, because each costs a round trip. The file of
// mounts is below the process that reads it, so a read over SFTP cannot go on after a new login.
func processor() module.Command {
	return module.Command{Argv: []string{"sh", "-c", "uname -m\n" + pace.Script() + "\necho " + mountsFile + "\ncat " + mountsFile}}
}

// readSystem reads files, and asks the processor, for the values of all but the network.
func readSystem(ctx context.Context, h module.Host) (Outputs, error) {
	texts := map[string]string{}
	for _, path := range []string{"/etc/os-release", "/proc/sys/kernel/hostname", "/proc/sys/kernel/osrelease", "/proc/cpuinfo", "/proc/meminfo"} {
		text, err := content.ReadAll(ctx, h, path)
		if err != nil {
			return Outputs{}, fmt.Errorf("read %s: %w", path, err)
		}
		texts[path] = string(text)
	}
	said, err := h.Run(ctx, processor())
	if err != nil {
		return Outputs{}, err
	}
	measured, mounted, _ := strings.Cut(said.Stdout, "\n"+mountsFile+"\n")
	machine, _, _ := strings.Cut(measured, "\n")
	machine = strings.TrimSpace(machine)
	release := pairs(texts["/etc/os-release"], "=")
	memory := pairs(texts["/proc/meminfo"], ":")
	out := Outputs{
		Hostname: strings.TrimSpace(texts["/proc/sys/kernel/hostname"]),
		OSID:     release["ID"], OSVersion: release["VERSION_ID"], OSCodename: release["VERSION_CODENAME"],
		OSFamily: family(release["ID"], release["ID_LIKE"]),
		Kernel:   strings.TrimSpace(texts["/proc/sys/kernel/osrelease"]), Machine: machine, Arch: arch(machine),
		CPUs: processors(texts["/proc/cpuinfo"]), Pace: module.NotePace(h, pace.Parse(measured)),
		MemoryBytes: kibibytes(memory["MemTotal"]), MemoryAvailableBytes: kibibytes(memory["MemAvailable"]),
		Mounts: mounts(mounted), Cgroups: 1,
	}
	if _, out.KVM, err = hostfile.Look(ctx, h, "/dev/kvm"); err != nil {
		return out, err
	}
	if out.SELinux, err = selinux(ctx, h); err != nil {
		return out, err
	}
	if out.ServiceManager, err = serviceManager(ctx, h); err != nil {
		return out, err
	}
	container, _, err := hostfile.Read(ctx, h, containerFile)
	if err != nil {
		return out, err
	}
	out.Container = strings.TrimSpace(container)
	unified, err := hostfile.Exists(ctx, h, unifiedFile)
	if unified {
		out.Cgroups = 2
	}
	return out, err
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

func selinux(ctx context.Context, h module.Host) (string, error) {
	text, there, err := hostfile.Read(ctx, h, enforceFile)
	switch {
	case err != nil || !there:
		return "", err
	case strings.TrimSpace(text) == "1":
		return "enforcing", nil
	}
	return "permissive", nil
}

// containerFile is where systemd records the container manager
// (systemd, src/core/manager.c and man 5 org.freedesktop.systemd1, "Virtualization").
const containerFile = "/run/systemd/container"

// unifiedFile exists only if control groups version 2 alone are mounted
// (Linux, Documentation/admin-guide/cgroup-v2.rst).
const unifiedFile = "/sys/fs/cgroup/cgroup.controllers"

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
