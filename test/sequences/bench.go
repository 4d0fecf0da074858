package sequences

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// Bench is where sequences run one after the other.
type Bench struct {
	Rack    *Rack
	Dir     string // for the files of the sequences
	Program Program

	ready bool
}

// Names returns the names of the bench's hosts.
func (b *Bench) Names() (names []string) {
	for _, h := range b.Rack.Hosts {
		names = append(names, h.Name)
	}
	return names
}

// Finding is a sequence that does what it must not do, made as small as possible.
type Finding struct {
	Rule string
	Key  string // the same for sequences that differ in the names of hosts alone
	Text string // with the log and the commands
}

var hostNames = regexp.MustCompile(`h[0-9]+`)

// Try runs a sequence. It returns nil if all is well.
func (b *Bench) Try(s Sequence) (*Finding, error) {
	v, log, err := b.run(s)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, s, log)
	}
	if v == nil {
		return nil, nil
	}
	s = Shrink(s, func(less Sequence) bool {
		again, _, err := b.run(less)
		return err == nil && again != nil && again.Rule == v.Rule
	})
	if last, _, err := b.run(s); err == nil && last != nil {
		v = last
	}
	return &Finding{
		Rule: v.Rule, Key: v.Rule + "\n" + hostNames.ReplaceAllString(s.String(), "h"),
		Text: fmt.Sprintf("%s: %s\n%safter command %d of\n%s", v.Rule, v.Text, v.Log, v.At+1, s),
	}, nil
}

// run runs a sequence. Before the first one another cluster comes on the hosts, whose objects are foreign to all sequences.
func (b *Bench) run(s Sequence) (*Violation, string, error) {
	work := filepath.Join(b.Dir, "work")
	if !b.ready {
		if err := b.prepare(work); err != nil {
			return nil, "", err
		}
		b.ready = true
	}
	return Run(s, b.Rack, work, b.Program)
}

func (b *Bench) prepare(work string) error {
	w := &world{hosts: b.Rack.Hosts, rack: b.Rack, program: b.Program, dir: work}
	for _, h := range b.Rack.Hosts {
		if err := h.Keep(); err != nil {
			return err
		}
	}
	if err := w.prepare(); err != nil {
		return err
	}
	other := Command{Verb: "run", Spec: "other", Hosts: b.Names(), Extras: []string{"cron", "names", "unit", "link"}}
	if r := w.do(other); r.Code != 0 {
		return fmt.Errorf("make another cluster:\n%s", w.log.String())
	}
	for _, h := range b.Rack.Hosts {
		if err := h.Keep(); err != nil {
			return err
		}
	}
	return nil
}
