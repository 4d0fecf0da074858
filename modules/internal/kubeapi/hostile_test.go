package kubeapi_test

import (
	"context"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport/transporttest/hostileweb"
	"kinit/modules/internal/kubeapi"
)

// hostile is a host whose API server gives one hostile answer.
type hostile struct {
	module.Host
	answer hostileweb.Answer
}

func (h hostile) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return h.answer.Dial(ctx, network, address)
}

// Not parallel: it measures memory.
func TestHostileAPIServersNeitherFillTheMemoryNorHoldTheRun(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	server.Close()
	config := kubeapi.Config{
		Server: "http://127.0.0.1:6443",
		CA:     string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
	}
	requests := map[string]func(ctx context.Context, h module.Host) error{
		"ready": func(ctx context.Context, h module.Host) error {
			_, err := config.Ready(ctx, h)
			return err
		},
		"node": func(ctx context.Context, h module.Host) error {
			_, err := config.GetNode(ctx, h, "n1")
			return err
		},
		"static pods": func(ctx context.Context, h module.Host) error {
			_, err := config.StaticPods(ctx, h, "n1")
			return err
		},
	}
	for _, answer := range hostileweb.Answers("application/json",
		hostileweb.Flood{Name: "many conditions", Begin: `{"status": {"conditions": [{}`, Repeat: `,{}`, End: `]}}`, Size: 2 << 20},
		hostileweb.Flood{Name: "many pods", Begin: `{"items": [{}`, Repeat: `,{}`, End: `]}`, Size: 2 << 20},
		hostileweb.Flood{Name: "many containers", Begin: `{"items": [{"spec": {"containers": [{}`, Repeat: `,{}`, End: `]}}]}`, Size: 2 << 20},
	) {
		for name, request := range requests {
			t.Run(name+"/"+answer.Name, func(t *testing.T) {
				err := hostileweb.Bounded(t, time.Minute, func(ctx context.Context) error {
					return request(ctx, hostile{moduletest.NewFakeHost(t, ""), answer})
				})
				if err == nil && name != "ready" && !strings.HasPrefix(answer.Name, "many ") {
					t.Error("the answer was accepted")
				}
			})
		}
	}
}
