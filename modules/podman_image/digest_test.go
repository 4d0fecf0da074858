package podmanimage_test

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_image"
)

// registryOf serves a registry to a host's podman, with an image that the host's store
// has no more. It returns the image's name without tag, and its digest.
func registryOf(t *testing.T, h *podmantest.Host) (image, digest string) {
	t.Helper()
	listener := h.Listen(t)
	server := &http.Server{Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0)))}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	image = listener.Addr().String() + "/kinit/test"
	h.Image(t, image+":1", "")
	file := h.Path("digest")
	h.Podman(t, "push", "--tls-verify=false", "--digestfile", file, image+":1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h.Podman(t, "rmi", image+":1")
	return image, strings.TrimSpace(string(text))
}

func pulled(name, state string) *podmanimage.Task {
	return task("", func(t *podmanimage.Task) { t.Name, t.TLSVerify, t.State = name, false, state })
}

func TestImageIsPulledByItsDigestAndGoesAgain(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	image, digest := registryOf(t, h)
	moduletest.Settle(t, pulled(image+"@"+digest, "present"), h)
	h.Podman(t, "create", "--name", "user", image+"@"+digest)
	h.Podman(t, "rm", "user")
	moduletest.Settle(t, pulled(image+"@"+digest, "absent"), h)
	if got := h.Podman(t, "images", "--all", "--quiet"); got != "" {
		t.Errorf("images %s, want none", got)
	}
	if marks, err := h.Marks(t.Context()); err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v, want none", marks, err)
	}
}

func TestImageWithAnotherDigestIsNotTaken(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	image, _ := registryOf(t, h)
	name := image + "@sha256:" + strings.Repeat("0", 64)
	err := moduletest.Steps(t, pulled(name, "present"), h)[0].Do(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), "pull image "+name+": ") {
		t.Errorf("error %v, want that %s was not pulled", err, name)
	}
	if got := h.Podman(t, "images", "--all", "--quiet"); got != "" {
		t.Errorf("images %s, want none", got)
	}
}
