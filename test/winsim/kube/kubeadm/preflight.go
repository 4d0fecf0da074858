package kubeadm

import (
	"fmt"
	"slices"
	"strings"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/containerd"
	"kinit/test/winsim/kube/kubelet"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
)

// finding is what a check of kubeadm says.
type finding struct {
	check   string
	text    string
	warning bool
}

// preflight does the checks of "kubeadm join" on Windows and returns what is fatal, a
// line each.
func preflight(p *machine.Process, c *joinConfiguration, ignore []string) []string {
	var fatal []string
	for _, f := range findings(p, c) {
		ignored := slices.ContainsFunc(ignore, func(name string) bool {
			return strings.EqualFold(name, f.check) || strings.EqualFold(name, "all")
		})
		if f.warning || ignored {
			cli.Complain(p, "\t[WARNING %s]: %s", f.check, f.text)
			continue
		}
		fatal = append(fatal, fmt.Sprintf("\t[ERROR %s]: %s", f.check, f.text))
	}
	return fatal
}

func findings(p *machine.Process, c *joinConfiguration) []finding {
	m := p.Machine
	var all []finding
	add := func(check, format string, args ...any) {
		all = append(all, finding{check: check, text: fmt.Sprintf(format, args...)})
	}
	if p.User != account.SystemSID && !m.Accounts.IsMember(account.AdministratorsSID, p.User) {
		add("IsPrivilegedUser", "the kubeadm process must be run by a user with elevated privileges")
	}
	for _, path := range []string{kubeletConf, bootstrapConf, c.CACertPath} {
		if _, err := m.Files.Stat(cli.Whole(p, path)); err == nil {
			add("FileAvailable-"+strings.ReplaceAll(strings.ReplaceAll(path, "/", "-"), ":", "-"), "%s already exists", path)
		}
	}
	if _, err := containerd.Connect(m, c.NodeRegistration.CRISocket); err != nil {
		add("CRI", "container runtime is not running: output: %v", err)
	}
	if findInPath(p, "xcopy") == "" {
		add("FileExisting-xcopy", "xcopy not found in system path")
	}
	if err := checkKubelet(p); err != nil {
		add("KubeletVersion", "couldn't get kubelet version: %v", err)
	}
	if s, err := m.Services.Config("kubelet"); err != nil {
		all = append(all, finding{check: "Service-kubelet", text: "kubelet service does not exist", warning: true})
	} else if s.Start == scm.Disabled {
		all = append(all, finding{check: "Service-kubelet", text: "kubelet service is not enabled, please run 'Set-Service 'kubelet' -StartupType Automatic'", warning: true})
	}
	if _, used := m.Bound(machine.TCP(kubelet.Port)); used {
		add("Port-10250", "Port 10250 is in use")
	}
	return all
}

// findInPath returns a program's path in the folders of the variable Path, as other
// programs look for it.
func findInPath(p *machine.Process, name string) string {
	for folder := range strings.SplitSeq(p.Env.Get("Path"), ";") {
		if folder == "" {
			continue
		}
		if info, err := p.Machine.Files.Resolve(ntfs.Join(folder, name+".exe")); err == nil && !info.IsDir() {
			return info.Path
		}
	}
	return ""
}

// checkKubelet compares the versions of kubelet and kubeadm.
func checkKubelet(p *machine.Process) error {
	path := findInPath(p, "kubelet")
	if path == "" {
		return fmt.Errorf("cannot execute 'kubelet --version': exec: \"kubelet\": executable file not found in %%PATH%%")
	}
	head, err := p.Machine.Head(path)
	if err != nil {
		return err
	}
	name, version, ok := machine.Identify(head)
	if !ok || name != "kubelet" {
		return fmt.Errorf("cannot execute 'kubelet --version': fork/exec %s: %%1 is not a valid Win32 application", path)
	}
	if cli.Minor(version) > cli.Minor(p.Version) {
		return fmt.Errorf("the kubelet version is higher than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: %q Control plane version: %q", version, p.Version)
	}
	return nil
}
