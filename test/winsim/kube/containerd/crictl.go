package containerd

import (
	"context"
	"slices"
	"strings"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/machine"
)

// Crictl is crictl.exe: rmp and rmi of all, and version. No pods run, so none are removed.
func Crictl(_ context.Context, p *machine.Process) uint32 {
	f, err := cli.Set{
		Values:   []string{"runtime-endpoint", "r", "image-endpoint", "i", "timeout", "t", "config", "c"},
		Switches: []string{"all", "a", "force", "f"},
	}.Parse(p.Args)
	if err != nil {
		cli.Complain(p, "%v", err)
		return 1
	}
	all := f.On("all") || f.On("a")
	known := slices.Equal(f.Args, []string{"rmp"}) && all || slices.Equal(f.Args, []string{"rmi"}) && all || slices.Equal(f.Args, []string{"version"})
	if !known {
		p.Machine.Unknown("crictl %s", strings.Join(p.Args, " "))
		return 1
	}
	r, err := Connect(p.Machine, f.Get("runtime-endpoint", f.Get("r", Pipe)))
	if err != nil {
		cli.Complain(p, "level=fatal msg=\"%v\"", err)
		return 1
	}
	if f.Args[0] == "version" {
		cli.Say(p, "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  %s\nRuntimeApiVersion:  v1", r.Version)
	}
	return 0
}
