// Command real runs the end-to-end checks on hypervisors of a user's own, and packs what it saw
// into one archive that the user can send.
//
// It deploys a cluster of its own name, runs it again, looks at it, and removes it. What it
// expects is in docs/real.md; each expectation is met, not met, or could not be seen. It exits
// with 0 if none is not met, 1 if one is, and 2 if it could not begin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

// run returns the exit code.
func run(ctx context.Context, args []string, out io.Writer) int {
	s, err := newSession(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(out, "Error:", err)
		return 2
	}
	s.work(ctx)
	results := s.judge()
	fmt.Fprint(out, "\n", table(results))
	if err := s.pack(results); err != nil {
		fmt.Fprintln(out, "Error:", err)
		return 2
	}
	fmt.Fprintf(out, "\nThe report is %s. Secrets are masked in it; names and addresses of hosts are not.\n", s.archive)
	for _, r := range results {
		if r.Verdict == notMet {
			return 1
		}
	}
	return 0
}

// newSession reads the command line. What follows "--" is handed to each kinit command.
func newSession(args []string, out io.Writer) (*session, error) {
	s := &session{out: out}
	var hosts string
	flags := flag.NewFlagSet("real", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.kinit, "kinit", "bin/kinit", "the program kinit")
	flags.StringVar(&s.spec, "spec", "k8s-libvirt-1-1-1", "the spec to deploy")
	flags.StringVar(&hosts, "hosts", "", "the hypervisors, with commas between them")
	flags.StringVar(&s.cluster, "cluster", "real", "the cluster's name, which no other cluster there has; empty leaves that of the spec")
	flags.StringVar(&s.archive, "out", "real.tar.gz", "the archive to write")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if hosts == "" {
		return nil, errors.New("-hosts is missing, want the hypervisors, as in -hosts nyctea,tyto")
	}
	s.hosts = strings.Split(hosts, ",")
	s.more = flags.Args()
	if _, err := os.Stat(s.kinit); err != nil {
		return nil, fmt.Errorf("find kinit: %w; 'make build' makes it", err)
	}
	return s, nil
}
