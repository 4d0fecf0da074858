package etcdapi_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport/transporttest/hostileweb"
	"kinit/modules/internal/etcdapi"
)

// hostile is a host whose member of etcd gives one hostile answer.
type hostile struct {
	module.Host
	answer hostileweb.Answer
}

func (h hostile) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return h.answer.Dial(ctx, network, address)
}

// Not parallel: it measures memory.
func TestHostileMembersNeitherFillTheMemoryNorHoldTheRun(t *testing.T) {
	const at = "http://127.0.0.1:2379"
	requests := map[string]func(ctx context.Context, c *etcdapi.Client) error{
		"answer": func(ctx context.Context, c *etcdapi.Client) error {
			var list struct{ Members []struct{ ID, Name string } }
			return c.Ask(ctx, at, "cluster/member/list", struct{}{}, &list)
		},
		"messages": func(ctx context.Context, c *etcdapi.Client) error {
			return c.Stream(ctx, at, "maintenance/snapshot", struct{}{}, func(json.RawMessage) error { return nil })
		},
	}
	for _, answer := range hostileweb.Answers("application/json",
		hostileweb.Flood{Name: "many members", Begin: `{"members": [{}`, Repeat: `,{}`, End: `]}`, Size: 1 << 20},
		hostileweb.Flood{Name: "a message without end", Begin: `{"result": {"blob": "`, Repeat: `AAAA`},
	) {
		for name, request := range requests {
			t.Run(name+"/"+answer.Name, func(t *testing.T) {
				err := hostileweb.Bounded(t, 70*time.Second, func(ctx context.Context) error {
					c, err := etcdapi.Access{Endpoint: at}.Client(ctx, hostile{moduletest.NewFakeHost(t, ""), answer})
					if err != nil {
						return err
					}
					return request(ctx, c)
				})
				if err == nil && !(name == "messages" && strings.HasPrefix(answer.Name, "many ")) {
					t.Error("the answer was accepted")
				}
			})
		}
	}
}
