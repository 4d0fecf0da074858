// Package kube is what Kubernetes' programs do on a simulated Windows node: kubeadm,
// kubelet, kube-proxy, flanneld, and the container runtime they need.
//
// They talk to a real API server, with plain HTTP and JSON, and do on the simulated
// machine what the real ones do on a Windows node: files, services, networks. They run
// no containers.
package kube

import (
	"context"
	"io"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/containerd"
	"kinit/test/winsim/kube/kubeadm"
	"kinit/test/winsim/kube/kubelet"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// LogRunner is kube-log-runner.exe: it runs a program, which may be a service's, with
// its output in a file.
func LogRunner(ctx context.Context, p *machine.Process) uint32 {
	own, command := splitCommand(p.Args)
	f, err := cli.Set{
		Values:   []string{"log-file", "log-file-size", "log-file-age", "flush-interval"},
		Switches: []string{"also-stdout", "redirect-stderr"},
	}.Parse(own)
	if err != nil || len(command) == 0 {
		cli.Complain(p, "usage: kube-log-runner [flags] command: %v", err)
		return 1
	}
	start := machine.Start{Program: command[0], Args: command[1:], Service: p.Service}
	if path := f.Get("log-file", ""); path != "" {
		log, err := p.Machine.Files.Open(cli.Whole(p, path), ntfs.Append, ntfs.Writing, ntfs.ShareRead)
		if err != nil {
			cli.Complain(p, "open log file: %v", err)
			return 1
		}
		defer log.Close()
		start.Stdout, start.Stderr = io.Writer(log), io.Writer(log)
	}
	child, err := p.Launch(ctx, start)
	if err != nil {
		cli.Complain(p, "starting command: %v", err)
		return 1
	}
	return child.Wait()
}

// splitCommand separates the program's own flags from the command, which begins with
// the first argument that is none.
func splitCommand(args []string) (own, command []string) {
	for i, arg := range args {
		if len(arg) == 0 || arg[0] != '-' {
			return args[:i], args[i:]
		}
	}
	return args, nil
}

// Programs are the programs of this package by the names in their files.
func Programs() map[string]machine.Program {
	return map[string]machine.Program{
		"containerd": containerd.Program, "kubeadm": kubeadm.Program, "kubelet": kubelet.Program, "kube-proxy": KubeProxy, "flanneld": Flanneld,
		"kube-log-runner": LogRunner, "host-local": HostLocal, "crictl": containerd.Crictl,
	}
}
