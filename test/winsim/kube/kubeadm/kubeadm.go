// Package kubeadm is kubeadm.exe: join, reset and version, against a real API server and
// on the simulated machine.
package kubeadm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/kubelet"
	"kinit/test/winsim/machine"
)

// Files of kubeadm and the kubelet. A process sees them on its own drive.
const (
	kubernetesDir = "/etc/kubernetes"
	kubeletConf   = kubernetesDir + "/kubelet.conf"
	bootstrapConf = kubernetesDir + "/bootstrap-kubelet.conf"
)

// Exit codes of kubeadm.
const (
	exitFailed    = 1
	exitPreflight = 2
)

// preflightError is the failure of checks, which has an exit code of its own.
type preflightError struct{ lines []string }

// Error lists what is wrong.
func (e *preflightError) Error() string {
	return "error execution phase preflight: [preflight] Some fatal errors occurred:\n" + strings.Join(e.lines, "\n") +
		"\n[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`"
}

// Program is kubeadm.exe: join, reset and version.
func Program(ctx context.Context, p *machine.Process) uint32 {
	command := ""
	if len(p.Args) > 0 {
		command = p.Args[0]
	}
	var err error
	switch command {
	case "version":
		err = kubeadmVersion(p)
	case "join":
		err = join(ctx, p)
	case "reset":
		err = reset(ctx, p)
	default:
		p.Machine.Unknown("kubeadm %s", strings.Join(p.Args, " "))
		return exitFailed
	}
	if err == nil {
		return 0
	}
	cli.Complain(p, "%v\nTo see the stack trace of this error execute with --v=5 or higher", err)
	if _, ok := errors.AsType[*preflightError](err); ok {
		return exitPreflight
	}
	return exitFailed
}

func kubeadmVersion(p *machine.Process) error {
	f, err := cli.Set{Values: []string{"output", "o", "v"}}.Parse(p.Args[1:])
	if err != nil {
		return err
	}
	switch output := f.Get("output", f.Get("o", "")); output {
	case "":
		cli.Say(p, "kubeadm version: &version.Info{GitVersion:%q, Platform:\"windows/amd64\"}", p.Version)
	case "short":
		cli.Say(p, "%s", p.Version)
	case "json":
		cli.Say(p, "{\n  \"clientVersion\": {\n    \"gitVersion\": %q,\n    \"platform\": \"windows/amd64\"\n  }\n}\n", p.Version)
	case "yaml":
		cli.Say(p, "clientVersion:\n  gitVersion: %s\n  platform: windows/amd64\n", p.Version)
	default:
		return fmt.Errorf("invalid output format: %s", output)
	}
	return nil
}

// reset takes back what join did on the machine.
func reset(ctx context.Context, p *machine.Process) error {
	f, err := cli.Set{Values: []string{"cri-socket", "ignore-preflight-errors", "v", "config", "kubeconfig"}, Switches: []string{"force", "f", "cleanup-tmp-dir"}}.Parse(p.Args[1:])
	if err != nil {
		return err
	}
	if !f.On("force") && !f.On("f") {
		cli.Complain(p, "W [reset] WARNING: Changes made to this host by 'kubeadm init' or 'kubeadm join' will be reverted.")
		return errors.New("error execution phase preflight: aborted reset operation")
	}
	cli.Say(p, "[preflight] Running pre-flight checks")
	cli.Say(p, "[reset] Stopping the kubelet service")
	if err := p.Machine.Services.Stop(ctx, "kubelet", false); err != nil {
		cli.Complain(p, "W [reset] The kubelet service could not be stopped by kubeadm: [%v]", err)
	}
	folders := []string{kubernetesDir + "/manifests", kubelet.Dir, kubernetesDir + "/pki"}
	cli.Say(p, "[reset] Deleting contents of directories: %v", folders)
	for _, folder := range folders {
		if err := empty(p, folder); err != nil {
			cli.Complain(p, "W [reset] Failed to delete contents of %q directory: %v", folder, err)
		}
	}
	var files []string
	for _, name := range []string{"admin.conf", "super-admin.conf", "kubelet.conf", "bootstrap-kubelet.conf", "controller-manager.conf", "scheduler.conf"} {
		files = append(files, kubernetesDir+"/"+name)
	}
	cli.Say(p, "[reset] Deleting files: %v", files)
	for _, file := range files {
		// One that is not there is as good as deleted.
		_ = p.Machine.Files.Remove(cli.Whole(p, file), true)
	}
	return nil
}

// empty deletes what is in a folder.
func empty(p *machine.Process, folder string) error {
	entries, err := p.Machine.Files.List(cli.Whole(p, folder))
	if err != nil {
		return nil // there is no such folder
	}
	var failed []error
	for _, entry := range entries {
		failed = append(failed, p.Machine.Files.RemoveAll(entry.Path, true))
	}
	return errors.Join(slices.DeleteFunc(failed, func(err error) bool { return err == nil })...)
}
