package etcdleave

import (
	"context"
	"fmt"

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
	answers := make(chan struct{})
	for i := range all.members {
		go func() {
			defer func() { answers <- struct{}{} }()
			m := &all.members[i]
			var status struct {
				Leader string
				Errors []string
			}
			if m.url() == "" {
				return
			}
			err := c.Ask(ctx, m.url(), "maintenance/status", struct{}{}, &status)
			m.answers = err == nil && status.Leader != "" && status.Leader != "0"
			m.leader = status.Leader
		}()
	}
	for range all.members {
		<-answers
	}
	for _, m := range all.members {
		if m.answers {
			all.leader = m.leader
		}
	}
	return all, ctx.Err()
}
