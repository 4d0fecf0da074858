package pins_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"kinit/cmd/kinit/pins"
	"kinit/engine/transport/transporttest/hostileweb"
)

// Not parallel: it measures memory.
func TestHostileSitesNeitherFillTheMemoryNorHoldTheCommand(t *testing.T) {
	image := pins.Pin{Image: "127.0.0.1:5000/x/y", Version: "1"}
	file := pins.Pin{URL: "http://127.0.0.1/file", Version: "1"}
	const manifest = "application/vnd.oci.image.index.v1+json"
	digested := manifest + "\r\nDocker-Content-Digest: sha256:" + strings.Repeat("0", 64)
	for kind, answers := range map[string][]hostileweb.Answer{"plain": hostileweb.Answers(manifest), "with a digest": hostileweb.Answers(digested)} {
		for _, answer := range answers {
			client := pins.NewClient()
			client.Transport.(*http.Transport).DialContext = answer.Dial
			f := pins.Fetcher{Client: client, Patience: time.Minute}
			try := func(name string, pin pins.Pin, limit time.Duration) {
				t.Run(name+", "+kind+"/"+answer.Name, func(t *testing.T) {
					err := hostileweb.Bounded(t, limit, func(ctx context.Context) error {
						_, err := f.Digest(ctx, pin)
						return err
					})
					if err == nil {
						t.Error("the answer was accepted")
					}
				})
			}
			try("image", image, 2*time.Minute)
			if strings.Contains(answer.Name, "slowly") || strings.Contains(answer.Name, "header") {
				try("file", file, 7*time.Hour)
			}
		}
	}
}
