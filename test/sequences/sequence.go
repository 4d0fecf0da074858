package sequences

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Sequence is commands on some of the rack's hosts, made from a seed.
type Sequence struct {
	Seed     uint64
	Commands []Command
	Follow   bool // the advice of each refusal is followed; else of some, by chance
}

// String returns the commands as Go code, one a line.
func (s Sequence) String() string {
	var b strings.Builder
	for _, c := range s.Commands {
		b.WriteString("\t\t" + c.String() + ",\n")
	}
	return b.String()
}

// MostCommands is the length of the longest sequence.
const MostCommands = 6

// kinds are the ways in which a command differs from a run of what is declared, with their weights.
var kinds = []struct {
	name   string
	weight int
}{
	{"run", 6}, {"count", 6}, {"hosts", 5}, {"vars", 4}, {"sibling", 3}, {"driver", 2}, {"renamed", 2}, {"cidr", 2},
	{"place", 2}, {"rebalance", 2}, {"only", 3}, {"limit", 4}, {"stop", 4}, {"start", 1}, {"cleanup", 4}, {"purge", 2}, {"recreate", 2},
	{"replace", 4}, {"evacuate", 3}, {"lost", 4}, {"down", 4}, {"up", 2}, {"edit", 3}, {"aliases", 2}, {"other", 2}, {"plan", 1}, {"status", 1},
	{"ci", 2}, {"kill", 2}, {"cut", 5}, {"full", 4}, {"clock", 2}, {"two", 3}, {"backup", 2}, {"restore", 2},
}

// New makes a sequence from a seed, on some of the hosts. Only the given kinds of commands are in it; none means all.
func New(seed uint64, hosts []string, only ...string) Sequence {
	r := rand.New(rand.NewPCG(seed, 0x5e90e9ce))
	s := Sequence{Seed: seed}
	first := Command{Verb: "run", Hosts: some(r, hosts, 1+r.IntN(len(hosts))), Web: 1 + r.IntN(3)}
	if r.IntN(2) == 0 {
		first.Extras = some(r, []string{"line", "block", "cron", "link", "names", "unit"}, 1+r.IntN(3))
	}
	if r.IntN(20) == 0 {
		first.Extras = append(first.Extras, "user")
	}
	s.Commands = append(s.Commands, first)
	declared := first
	for range r.IntN(MostCommands) {
		c := next(r, declared, hosts, only)
		s.Commands = append(s.Commands, c)
		if c.Whole() {
			declared = c.Declared()
		}
	}
	return s
}

// some returns n of the values, in an order of chance.
func some(r *rand.Rand, values []string, n int) []string {
	all := slices.Clone(values)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

func one(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

// pick returns a kind of command by chance.
func pick(r *rand.Rand, only []string) string {
	total := 0
	for _, k := range kinds {
		if len(only) == 0 || slices.Contains(only, k.name) {
			total += k.weight
		}
	}
	n := r.IntN(total)
	for _, k := range kinds {
		if len(only) > 0 && !slices.Contains(only, k.name) {
			continue
		}
		if n -= k.weight; n < 0 {
			return k.name
		}
	}
	panic("the weights do not add up")
}

// next returns the command after a declared run.
func next(r *rand.Rand, declared Command, hosts, only []string) Command {
	c := declared
	here := func() string { return declared.Hosts[r.IntN(len(declared.Hosts))] }
	switch kind := pick(r, only); kind {
	case "count":
		c.Web = 1 + r.IntN(4)
	case "hosts":
		c.Hosts = some(r, hosts, 1+r.IntN(len(hosts)))
	case "vars":
		c.Size = one(r, "small", "large", "")
	case "sibling", "renamed":
		c.Spec = kind
	case "driver":
		c.Driver = one(r, "file", "tree")
	case "cidr":
		c.CIDR = one(r, "10.0.0.0/24", "10.9.0.0/24")
	case "place":
		c.Place = one(r, hosts...)
	case "rebalance", "recreate":
		c.Flags = []string{"--" + kind}
	case "only":
		c.Only = one(r, "places", "cleanup", "nodes", "leave", "task.directory.node", "task.copy.record")
	case "limit":
		c.Limit = one(r, hosts...)
		c.Web = 1 + r.IntN(4)
	case "stop":
		c.StopAfter = one(r, "places", "nodes")
		c.Web = 1 + r.IntN(4)
	case "start":
		c.StartAt = one(r, "cleanup", "nodes", "leave")
	case "cleanup", "purge":
		c.StopAfter = "cleanup"
		if kind == "purge" {
			c.Flags = []string{"--purge"}
		}
		if r.IntN(3) == 0 {
			c.Hosts = some(r, hosts, 1+r.IntN(len(hosts)))
		}
	case "replace":
		c.Verb, c.Node = kind, one(r, "web-01", "web-02", "db-01")
	case "evacuate":
		c.Verb, c.Node = kind, one(r, hosts...)
	case "lost":
		c.Lost = one(r, hosts...)
		c.Hosts = slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return h == c.Lost })
	case "down", "up", "edit":
		return Command{Verb: kind, On: here()}
	case "aliases":
		c.Aliases = true
		for i, h := range c.Hosts {
			if r.IntN(2) == 0 {
				c.Hosts = slices.Concat(c.Hosts[:i], []string{h + "b"}, c.Hosts[i+r.IntN(2):])
				break
			}
		}
	case "other":
		c.Other = true
		if r.IntN(2) == 0 {
			c.Flags = []string{"--adopt"}
		}
	case "plan", "status", "ci", "backup", "restore":
		c.Verb = kind
	case "kill", "cut", "full":
		c.Fault, c.At, c.On = kind, 1+r.IntN(60), here()
		c = change(r, c)
	case "clock":
		c.Clock = []time.Duration{-240 * time.Hour, -time.Minute, time.Minute, 240 * time.Hour}[r.IntN(4)]
		c = change(r, c)
	case "two":
		c = change(r, c)
		with := change(r, declared)
		c.With = &with
	}
	return c
}

// change makes a run that has something to do.
func change(r *rand.Rand, c Command) Command {
	switch r.IntN(4) {
	case 0:
		c.Web = 1 + r.IntN(4)
	case 1:
		c.Size = one(r, "small", "large", "medium")
	case 2:
		c.StopAfter = "cleanup"
	case 3:
		c.Flags = []string{"--recreate"}
	}
	return c
}
