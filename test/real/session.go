package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// session is one pass over the hypervisors.
type session struct {
	kinit, spec, cluster, archive string
	hosts, more                   []string
	out                           io.Writer

	steps []*step
}

// step is a kinit command and what came of it.
type step struct {
	Name     string        `json:"name"`
	Command  string        `json:"command"`
	Code     int           `json:"exit_code"`
	Duration time.Duration `json:"duration"`

	stdout, stderr bytes.Buffer
	log            []byte  // the archive of "kinit logs", after a run
	events         []event // of the run
}

// event is what is read of a run's log.
type event struct {
	Kind   string `json:"kind"`
	Task   string `json:"task"`
	Host   string `json:"host"`
	Status string `json:"status"`
	Values []struct {
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"values"`
	Plan struct {
		Tasks []struct {
			Address string `json:"address"`
			Module  string `json:"module"`
			Host    string `json:"host"`
		} `json:"tasks"`
	} `json:"plan"`
	Counts  map[string]int    `json:"counts"`
	Outputs map[string]string `json:"outputs"`
}

// inspect is what is asked of each hypervisor while the cluster is there: lines of a word, a
// colon, and what was found.
const inspect = `. /etc/os-release
echo "system: $PRETTY_NAME"
echo "kernel: $(uname -r)"
for program in podman ovs-vsctl ovn-controller virsh nft; do
	if command -v $program >/dev/null; then echo "$program: $($program --version 2>&1 | head -n 1)"; fi
done
if command -v ovs-appctl >/dev/null; then
	echo "datapath: $(ovs-vsctl --if-exists get bridge br-int datapath_type)"
	ovs-appctl dpif/show | sed -n 's/^\([a-z]*@[^:]*\):.*/dpif: \1/p'
fi
if command -v virsh >/dev/null; then
	for name in $(virsh --connect qemu:///system list --name 2>/dev/null); do
		echo "domain: $name $(virsh --connect qemu:///system dumpxml "$name" | sed -n "s/^<domain type='\([a-z]*\)'.*/\1/p")"
	done
fi
if [ -e /sys/fs/selinux/enforce ]; then echo "selinux: $(cat /sys/fs/selinux/enforce)"; fi
if command -v firewall-cmd >/dev/null; then echo "firewalld: $(firewall-cmd --state 2>&1)"; fi
if command -v ufw >/dev/null; then echo "ufw: $(ufw status | head -n 1)"; fi`

// workload prints the nodes, and each container with whether it is ready.
const workload = `kubectl get nodes -o 'jsonpath={range .items[*]}node {.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' &&
kubectl get pods --all-namespaces -o 'jsonpath={range .items[*]}pod {.metadata.namespace}/{.metadata.name} {.status.phase} {.status.containerStatuses[*].ready}{"\n"}{end}'`

// work does all steps. After a failed deployment the cluster is looked at and removed all the same.
func (s *session) work(ctx context.Context) {
	s.call(ctx, "version", "version")
	s.call(ctx, "doctor", slices.Concat([]string{"doctor"}, s.hosts, inventories(s.more), []string{"--output", "json"})...)
	if s.call(ctx, "validate", s.args("validate")...).Code != 0 {
		return
	}
	s.deploy(ctx, "deploy")
	if s.step("deploy").Code == 0 {
		s.deploy(ctx, "again")
		s.call(ctx, "status", s.args("status")...)
		s.call(ctx, "workload", append(s.args("ssh"), "services", "--", "sh", "-c", workload)...)
	}
	for _, host := range s.hosts {
		s.call(ctx, "inspect "+host, append(s.args("ssh"), host, "--", "sh", "-c", inspect)...)
	}
	// An interrupt ends the checks; what they made goes nevertheless.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Hour)
	defer cancel()
	s.deploy(last, "clean-up", "--stop-after", "cleanup")
}

// args returns the arguments of a kinit command that takes the spec.
func (s *session) args(command string) []string {
	args := []string{command, s.spec, "--hosts", strings.Join(s.hosts, ",")}
	if s.cluster != "" {
		args = append(args, "--set", "cluster.name="+s.cluster)
	}
	return append(args, s.more...)
}

// inventories returns those of the flags that name inventories: the doctor has other variables than clusters.
func inventories(flags []string) (own []string) {
	for i, flag := range flags {
		name, _, whole := strings.Cut(flag, "=")
		switch {
		case name != "-i" && name != "--inventory":
		case whole:
			own = append(own, flag)
		case i+1 < len(flags):
			own = append(own, flag, flags[i+1])
		}
	}
	return own
}

// deploy runs the spec, and keeps the run's log.
func (s *session) deploy(ctx context.Context, name string, more ...string) {
	made := s.call(ctx, name, append(s.args("run"), more...)...)
	if made.Code == 2 || made.Code == 3 {
		return // it did not begin: the last log is of an earlier run
	}
	ctx = context.WithoutCancel(ctx)
	made.log, _ = exec.CommandContext(ctx, s.kinit, "logs", s.spec, "--out", "-").Output()
	text, err := exec.CommandContext(ctx, s.kinit, "report", s.spec, "--format", "json").Output()
	if err != nil {
		return
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			made.events = append(made.events, e)
		}
	}
}

// call runs kinit and shows what it prints.
func (s *session) call(ctx context.Context, name string, args ...string) *step {
	made := &step{Name: name, Command: "kinit " + strings.Join(shown(args), " ")}
	s.steps = append(s.steps, made)
	fmt.Fprintf(s.out, "\n== %s\n", name)
	cmd := exec.CommandContext(ctx, s.kinit, args...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&made.stdout, s.out), io.MultiWriter(&made.stderr, s.out)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Minute
	began := time.Now()
	err := cmd.Run()
	made.Duration = time.Since(began).Round(time.Millisecond)
	made.Code = cmd.ProcessState.ExitCode() // -1 if it did not start or was killed
	if made.Code < 0 {
		fmt.Fprintln(&made.stderr, err)
	}
	return made
}

// shown returns arguments without the values of variables, which may be secrets.
func shown(args []string) []string {
	all := slices.Clone(args)
	for i, arg := range all {
		name, _, given := strings.Cut(arg, "=")
		switch {
		case given && name == "--var": // --var=name=value
			name, _, _ = strings.Cut(strings.TrimPrefix(arg, "--var="), "=")
			all[i] = "--var=" + name + "=…"
		case given && i > 0 && all[i-1] == "--var":
			all[i] = name + "=…"
		}
	}
	return all
}

// step returns the step with a name, or nil if it was not done.
func (s *session) step(name string) *step {
	i := slices.IndexFunc(s.steps, func(one *step) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return s.steps[i]
}

// summary returns the last event of a run.
func (s *step) summary() (event, bool) {
	if len(s.events) == 0 || s.events[len(s.events)-1].Kind != "summary" {
		return event{}, false
	}
	return s.events[len(s.events)-1], true
}
