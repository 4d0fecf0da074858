package etcdleave

import (
	"context"
	"fmt"
	"sync"

	"kinit/modules/internal/etcdapi"
)

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
