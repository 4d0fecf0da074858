package sequences

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// specWeb is the count of the pool web in the specs.
const specWeb = 2

// rounds is how often advice is followed until the cluster must be as declared.
const rounds = 6

// drift is the exit code of commands that have found something to do.
const drift = 4

// settle checks that the cluster can still reach its declared state, by following advice where kinit
// refuses, that a further run changes nothing, and that clean-up leaves nothing.
func (w *world) settle() (*Violation, error) {
	if w.random.IntN(2) == 0 {
		w.startAll()
	}
	if w.declared == nil {
		return nil, nil
	}
	c, v, err := w.reach(*w.declared)
	if v != nil || err != nil {
		return v, err
	}
	if v := w.complete(c); v != nil {
		return v, nil
	}
	again := c
	again.Verb, again.Place, again.Flags = "plan", "", nil
	if r := w.do(again); r.Code != 0 {
		return &Violation{Rule: "again", Text: fmt.Sprintf("a plan after a run that went well ends with code %d", r.Code)}, nil
	}
	return w.clean(c)
}

// clean removes the cluster from all hosts and checks that nothing is left of it.
func (w *world) clean(c Command) (*Violation, error) {
	w.startAll()
	c = c.Declared()
	c.StopAfter, c.Hosts, c.Flags = "cleanup", nil, []string{"--adopt"}
	for _, h := range w.hosts {
		c.Hosts = append(c.Hosts, h.Name)
	}
	if _, v, err := w.reach(c); v != nil || err != nil {
		return v, err
	}
	for _, h := range w.hosts {
		now, err := h.entries()
		if err != nil {
			return nil, err
		}
		before := byPath(h.first)
		for _, e := range now {
			old, there := before[e.path]
			switch {
			case !there && w.others(e.path):
			case !there:
				return &Violation{Rule: "left", Text: fmt.Sprintf("clean-up leaves %s on %s", e.path, h.Name)}, nil
			case !w.several && slices.Contains(shared[:2], e.path) && e.content != old.content:
				return &Violation{Rule: "left", Text: fmt.Sprintf("clean-up leaves %s on %s with %q, before the cluster it had %q", e.path, h.Name, e.content, old.content)}, nil
			}
		}
	}
	return nil, nil
}

// others reports whether a path is that of another cluster, whose clean-up was not asked for. Accounts are handed
// over to it.
func (w *world) others(path string) bool {
	return w.several || strings.HasPrefix(path, "/run/units/") || strings.HasPrefix(path, "/var/lib/kinit/clusters/other/")
}

func (w *world) startAll() {
	for _, h := range w.hosts {
		h.Start()
	}
}

// reach runs a command until it goes well, with what kinit advises.
func (w *world) reach(c Command) (Command, *Violation, error) {
	for range rounds {
		result := w.do(c)
		if v, err := w.check(c); v != nil || err != nil {
			return c, v, err
		}
		w.learn(c, result)
		if result.Code == 0 || result.Code == drift && c.Verb == "plan" || c.Verb == "status" && result.Code != 0 && len(w.advice(c, result)) == 0 {
			return c, nil, nil
		}
		if c.Node != "" && !c.loses(c.Node) && unknownName.MatchString(result.Err) {
			return c, nil, nil // what the user asked for does not exist
		}
		if ways := w.advice(c, result); len(ways) > 0 {
			c = ways[w.random.IntN(len(ways))]
			continue
		}
		if !w.allUp() {
			w.startAll()
			continue
		}
		return c, &Violation{Rule: "advice", Text: fmt.Sprintf("the command ends with code %d and without advice that helps", result.Code)}, nil
	}
	return c, &Violation{Rule: "advice", Text: fmt.Sprintf("the command does not go well, though advice was followed %d times", rounds)}, nil
}

func (w *world) allUp() bool {
	return !slices.ContainsFunc(w.hosts, func(h *Host) bool { return !h.Up })
}

// follow does what the message of a refusal advises, which must go well. A refusal whose only way out is to
// do something else is none of its business.
func (w *world) follow(c Command, result Result) (*Violation, error) {
	ways := w.advice(c, result)
	if len(ways) == 0 || c.Fault != "" || c.With != nil || !w.follows && w.random.IntN(2) == 0 {
		return nil, nil
	}
	_, v, err := w.reach(ways[w.random.IntN(len(ways))])
	return v, err
}

// complete checks that each declared node exists once on the hosts of the command.
func (w *world) complete(c Command) *Violation {
	want := []string{c.Cluster() + "-db-01"}
	for i := range cmp.Or(c.Web, specWeb) {
		want = append(want, fmt.Sprintf("%s-web-%02d", c.Cluster(), i+1))
	}
	var have []string
	for _, n := range w.nodes {
		if n.cluster() == c.Cluster() && !c.loses(n.host) && slices.ContainsFunc(c.Hosts, func(h string) bool { return w.host(h).Name == n.host }) {
			have = append(have, n.name)
		}
	}
	slices.Sort(have)
	if !slices.Equal(want, have) {
		return &Violation{Rule: "declared", Text: fmt.Sprintf("after a run that went well there are the nodes %s, want %s", strings.Join(have, ", "), strings.Join(want, ", "))}
	}
	return nil
}

var (
	lostAdvice     = regexp.MustCompile(`--lost ([a-z0-9]+(?:,[a-z0-9]+)*)`)
	evacuateAdvice = regexp.MustCompile(`'kinit evacuate SPEC ([a-z0-9]+)'`)
	commandAdvice  = regexp.MustCompile(`(?m)^    kinit run (?:.*\\\n)*.*$`)
	twiceAdvice    = regexp.MustCompile(`leave out "([a-z0-9]+)", in --hosts and in the pools(?:, and give --lost ([a-z0-9]+))?|names "([a-z0-9]+)" and "[a-z0-9]+" lead to the same machine:.*Keep one`)
	nameAdvice     = regexp.MustCompile(`answers as ([a-z0-9]+) is the one that the cluster "[a-z0-9-]+" knows as ([a-z0-9]+):`)
	setAdvice      = regexp.MustCompile(`--set (node\.[a-z0-9-]+\.hypervisor=[a-z0-9]+)(?: --remove ([a-z0-9,@-]+))?`)
	valueAdvice    = regexp.MustCompile(`--(remove|yes-destroy) ([a-z0-9,/@-]+)`)
	plainAdvice    = regexp.MustCompile(`--(adopt|recreate)\b`)
	repairAdvice   = regexp.MustCompile(`(?m)^  (kinit run .*)$`)
	leaveOutAdvice = regexp.MustCompile(`--(remove|yes-destroy) names "([a-z0-9@-]+)".*leave the name out`)
	unknownName    = regexp.MustCompile(`Unknown (node|hypervisor)\b`)
	otherHosts     = regexp.MustCompile(`name its hypervisors: --hosts ([a-z0-9]+(?:,[a-z0-9]+)*)`)
	missingHosts   = regexp.MustCompile(`has on (h[0-9]+b?):`)
)

// advice returns the commands that the message of a refusal proposes and whose condition is met.
func (w *world) advice(c Command, r Result) (ways []Command) {
	text := r.Err
	add := func(change func(*Command)) {
		next := c
		next.Hosts, next.Flags = slices.Clone(c.Hosts), slices.Clone(c.Flags)
		change(&next)
		next.rewrite(c)
		ways = append(ways, next)
	}
	if strings.Contains(text, "name it by --hosts too") {
		add(func(n *Command) {
			for _, m := range missingHosts.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(n.Hosts, m[1]) {
					n.Hosts = append(n.Hosts, m[1])
					n.Aliases = n.Aliases || strings.HasSuffix(m[1], "b")
				}
			}
		})
	}
	if m := otherHosts.FindStringSubmatch(text); m != nil {
		add(func(n *Command) { n.Hosts = strings.Split(m[1], ",") })
	}
	if strings.Contains(text, "Name more hosts with --hosts") {
		add(func(n *Command) {
			for _, h := range w.hosts {
				if h.Up && !n.loses(h.Name) && !slices.Contains(n.Hosts, h.Name) {
					n.Hosts = append(n.Hosts, h.Name)
				}
			}
		})
	}
	for _, m := range lostAdvice.FindAllStringSubmatch(text, -1) {
		gone := !w.host(m[1]).Up                       // it does not come back
		if gone && !c.loses(m[1]) && m[1] != "names" { // the message may quote the flag that was given
			add(func(n *Command) {
				n.Lost = strings.TrimPrefix(c.Lost+","+m[1], ",")
				if strings.Contains(text, "another hypervisor than "+m[1]) && n.Place == m[1] {
					n.Place = ""
				}
			})
		}
	}
	for _, m := range commandAdvice.FindAllString(text, -1) {
		if words := shellWords(m); len(words) > 3 {
			ways = append(ways, Advised(words))
		}
	}
	if c.Verb == "status" && r.Code == drift {
		for _, m := range repairAdvice.FindAllStringSubmatch(r.Out, -1) {
			if words := shellWords(m[1]); len(words) > 3 && !strings.Contains(m[1], "...") { // values that may be secret are not shown
				ways = append(ways, Advised(words))
			}
		}
	}
	for _, m := range leaveOutAdvice.FindAllStringSubmatch(text, -1) {
		add(func(n *Command) { n.Flags, n.Line = leaveOut(n.Flags, m[1], m[2]), leaveOut(n.Line, m[1], m[2]) })
	}
	for _, m := range twiceAdvice.FindAllStringSubmatch(text, -1) {
		add(func(n *Command) {
			n.Hosts = slices.DeleteFunc(n.Hosts, func(h string) bool { return h == m[1]+m[3] })
			n.Lost = cmp.Or(m[2], n.Lost)
		})
	}
	for _, m := range nameAdvice.FindAllStringSubmatch(text, -1) {
		add(func(n *Command) {
			n.Aliases = true // the inventory with both names
			n.Hosts[slices.Index(n.Hosts, m[1])] = m[2]
		})
	}
	for _, m := range evacuateAdvice.FindAllStringSubmatch(text, -1) {
		add(func(n *Command) { *n = c.Declared(); n.Verb, n.Node, n.Hosts = "evacuate", m[1], append(n.Hosts, m[1]) })
	}
	if all := setAdvice.FindAllStringSubmatch(text, -1); len(all) > 0 {
		add(func(n *Command) {
			said := map[string]bool{}
			for _, m := range all { // of two ways for one node, the first
				node, _, _ := strings.Cut(m[1], "=")
				if said[node] {
					continue
				}
				said[node] = true
				n.Flags = append(n.Flags, "--set", m[1])
				if m[2] != "" {
					n.Flags = append(n.Flags, "--remove", m[2])
				}
			}
		})
		text = setAdvice.ReplaceAllString(text, "")
	}
	for _, m := range valueAdvice.FindAllStringSubmatch(text, -1) {
		if m[2] != "names" { // the message quotes the flag that was given
			add(func(n *Command) { n.Flags = append(n.Flags, "--"+m[1], m[2]) })
		}
	}
	// A flag of a command that is proposed whole belongs to that command.
	for _, m := range plainAdvice.FindAllStringSubmatch(commandAdvice.ReplaceAllString(text, ""), -1) {
		if !slices.Contains(c.Flags, "--"+m[1]) {
			add(func(n *Command) { n.Flags = append(n.Flags, "--"+m[1]) })
		}
	}
	return ways
}

// shellWords splits a command line with quotes as a shell does, and joins its lines.
func shellWords(text string) (words []string) {
	word, quoted, in := "", rune(0), false
	for _, r := range strings.ReplaceAll(text, "\\\n", " ") {
		switch {
		case quoted != 0 && r == quoted:
			quoted = 0
		case quoted != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quoted, in = r, true
		case r == ' ' || r == '\n':
			if in {
				words = append(words, word)
			}
			word, in = "", false
		default:
			word, in = word+string(r), true
		}
	}
	if in {
		words = append(words, word)
	}
	return words
}
