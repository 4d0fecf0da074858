// Package etcdleave is the module etcd_leave: it takes members out of an etcd, one at a time.
package etcdleave

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/etcdapi"
	"kinit/modules/internal/poll"
)

// Task is an etcd that does not have some members. The host runs another member, which takes them
// out one after the other, those that do not answer first. Before each, enough of the others must answer; after each, all that
// answered must answer again and have a leader. A member that leads hands the lead over first.
//
// Errors:
//   - the etcd would be left without a member
//   - the host's own member is one of those that leave
//   - fewer members answer than make a quorum, of all or of those that would be left; the error
//     names those that do not
//   - the etcd refuses, or has no leader afterwards
type Task struct {
	// Members are the names of the members that leave, each with the address of its machine, by which one that has never started is found.
	Members map[string]string `hcl:"members"`
	etcdapi.Access
	// Wait is how long the others can take to have a leader again, such as "1m".
	Wait module.Duration `hcl:"wait,optional" default:"1m"`
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "etcd_leave"})
}

func (t *Task) Validate() error {
	if err := t.Access.Check(); err != nil {
		return err
	}
	if t.Wait.Time() <= 0 {
		return fmt.Errorf("wait is %q, expected a duration such as \"1m\"", t.Wait)
	}
	return nil
}

// Plan lists the members that are still there. What the first one needs is checked now, as is what
// the last one needs if all that answer now still do.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if len(t.Members) == 0 {
		return nil, ctx.Err()
	}
	c, err := t.Access.Client(ctx, h)
	if err != nil {
		return nil, err
	}
	now, err := t.look(ctx, c)
	if err != nil {
		return nil, err
	}
	var steps []module.Step
	for _, name := range t.order(now) {
		m := now.find(name, t.Members[name])
		if err := now.mayLeave(m.ID); err != nil {
			return nil, fmt.Errorf("%s cannot leave etcd: %w", name, err)
		}
		now = now.without(m.ID)
		steps = append(steps, module.NewStep("take "+name+" out of etcd", func(ctx context.Context, h module.Host) error {
			return t.leave(ctx, h, name)
		}))
	}
	return steps, nil
}

// order lists the members that are still there: first those that do not answer, as etcd is safer
// without them, then the others by their names.
func (t *Task) order(now cluster) []string {
	var silent, others []string
	for _, name := range slices.Sorted(maps.Keys(t.Members)) {
		switch m := now.find(name, t.Members[name]); {
		case m == nil:
		case m.answers:
			others = append(others, name)
		default:
			silent = append(silent, name)
		}
	}
	return append(silent, others...)
}

func (t *Task) leave(ctx context.Context, h module.Host, name string) error {
	c, err := t.Access.Client(ctx, h)
	if err != nil {
		return err
	}
	now, err := t.look(ctx, c)
	if err != nil {
		return err
	}
	m := now.find(name, t.Members[name])
	if m == nil {
		return nil
	}
	if err := now.mayLeave(m.ID); err != nil {
		return fmt.Errorf("%s cannot leave etcd: %w", name, err)
	}
	if now.leader == m.ID && m.answers {
		next := now.without(m.ID).heir()
		h.Report(event.Progress{Text: "hand the lead over to " + next.Name})
		if err := c.Ask(ctx, m.url(), "maintenance/transfer-leadership", map[string]string{"targetID": next.ID}, nil); err != nil {
			return fmt.Errorf("hand the lead of etcd over from %s to %s: %w", name, next.Name, err)
		}
	}
	if err := t.remove(ctx, h, c, m.ID); err != nil {
		return fmt.Errorf("take %s out of etcd: %w", name, err)
	}
	return t.settled(ctx, h, c, now.without(m.ID))
}

// What etcd says begins with this. Some of it is so for seconds alone: that it has no leader when
// one has gone, and that members have not known each other for long enough when one has come,
// left or taken the lead.
const (
	refused = "etcdserver: "
	unknown = "etcdserver: member not found"
)

// remove takes a member out as soon as the others have a leader and know each other. A request
// without an answer may have been done.
func (t *Task) remove(ctx context.Context, h module.Host, c *etcdapi.Client, id string) error {
	return poll.Until(ctx, h, poll.Wait{For: "members of etcd that know each other", Within: t.Wait.Time()}, func(ctx context.Context) (bool, string, error) {
		err := c.Ask(ctx, t.Endpoint, "cluster/member/remove", map[string]string{"ID": id}, nil)
		switch {
		case err == nil, err.Error() == unknown:
			return true, "", nil
		case strings.HasPrefix(err.Error(), refused), errors.Is(err, etcdapi.ErrLate):
			return false, err.Error(), nil
		}
		return false, "", err
	})
}

// settled waits until all members that answered before do so again, and have a leader.
func (t *Task) settled(ctx context.Context, h module.Host, c *etcdapi.Client, before cluster) error {
	return poll.Until(ctx, h, poll.Wait{For: "a leader of etcd that all its members follow", Within: t.Wait.Time()}, func(ctx context.Context) (bool, string, error) {
		now, err := t.look(ctx, c)
		if err == nil {
			err = now.lacks(before)
		}
		if err != nil {
			return false, err.Error(), nil
		}
		return true, "", nil
	})
}

// member is a member of an etcd, as it lists them.
type member struct {
	ID         string
	Name       string // empty before its first start
	PeerURLs   []string
	ClientURLs []string
	IsLearner  bool

	answers bool
	leader  string // the id of the leader, as the member says
}

func (m member) url() string {
	if len(m.ClientURLs) == 0 {
		return ""
	}
	return m.ClientURLs[0]
}

func (m member) called() string {
	if m.Name != "" {
		return m.Name
	}
	return "one that has never started, " + strings.Join(m.PeerURLs, " ")
}

// cluster is what an etcd is.
type cluster struct {
	members []member
	own     string // the id of the member that was asked
	leader  string
}

// find returns a member by its name, or, before its first start, by its address.
func (c cluster) find(name, address string) *member {
	for i, m := range c.members {
		if m.Name == name || m.Name == "" && address != "" && slices.ContainsFunc(m.PeerURLs, func(text string) bool {
			at, err := url.Parse(text)
			return err == nil && at.Hostname() == address
		}) {
			return &c.members[i]
		}
	}
	return nil
}

// without returns the etcd as it is when a member has left.
func (c cluster) without(id string) cluster {
	c.members = slices.DeleteFunc(slices.Clone(c.members), func(m member) bool { return m.ID == id })
	if c.leader == id {
		c.leader = ""
	}
	return c
}

// heir is a member that may lead.
func (c cluster) heir() member {
	for _, m := range c.members {
		if m.answers && !m.IsLearner {
			return m
		}
	}
	return member{}
}

// quorum returns how many voters answer, and how many have to; silent names the others.
func (c cluster) quorum() (answer, need int, silent []string) {
	voters := 0
	for _, m := range c.members {
		switch {
		case m.IsLearner:
		case m.answers:
			voters, answer = voters+1, answer+1
		default:
			voters, silent = voters+1, append(silent, m.called())
		}
	}
	return answer, voters/2 + 1, silent
}

// mayLeave returns why a member may not leave.
func (c cluster) mayLeave(id string) error {
	left := c.without(id)
	if len(left.members) == 0 {
		return errors.New("it is the last member, and all data would go with it")
	}
	if id == c.own {
		return errors.New("it is the host's own member, want the task on a host whose member stays")
	}
	for _, of := range []cluster{c, left} {
		if answer, need, silent := of.quorum(); answer < need {
			return fmt.Errorf("%d of its members have to answer and %d do. These do not: %s", need, answer, strings.Join(silent, ", "))
		}
	}
	return nil
}

// lacks returns what is missing compared with before.
func (c cluster) lacks(before cluster) error {
	if c.leader == "" {
		return errors.New("it has no leader")
	}
	for _, was := range before.members {
		is := slices.IndexFunc(c.members, func(m member) bool { return m.ID == was.ID })
		if was.answers && (is < 0 || !c.members[is].answers || c.members[is].leader != c.leader) {
			return fmt.Errorf("%s does not answer or follows another leader", was.called())
		}
	}
	return nil
}

// look lists the members, and asks each whether it answers.
func (t *Task) look(ctx context.Context, c *etcdapi.Client) (cluster, error) {
	var listed struct {
		Header struct {
			MemberID string `json:"member_id"`
		}
		Members []member
	}
	if err := c.Ask(ctx, t.Endpoint, "cluster/member/list", struct{}{}, &listed); err != nil {
		return cluster{}, fmt.Errorf("list the members of etcd: %w", err)
	}
	all := cluster{members: listed.Members, own: listed.Header.MemberID}
	var answers sync.WaitGroup
	for i := range all.members {
		answers.Go(func() {
			m := &all.members[i]
			if m.url() == "" {
				return
			}
			var err error
			m.leader, err = c.LeaderOf(ctx, m.url())
			m.answers = err == nil && m.leader != ""
		})
	}
	answers.Wait()
	for _, m := range all.members {
		if m.answers {
			all.leader = m.leader
		}
	}
	return all, ctx.Err()
}
