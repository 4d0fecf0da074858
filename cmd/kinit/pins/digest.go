package pins

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// ErrSilent means that a site sent nothing within the Fetcher's patience.
var ErrSilent = errors.New("nothing arrived")

// Limits for sites, besides a Fetcher's patience.
const (
	mostTime        = 6 * time.Hour // for a file, with all its bytes
	largestManifest = 4 << 20       // bytes; registries need not accept larger ones
	largestHeaders  = 256 << 10     // bytes of an answer's headers; net/http's limit lets a site fill hundreds of MiB
)

// NewClient returns a client for a Fetcher, which uses the environment's proxies.
func NewClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = largestHeaders
	return &http.Client{Transport: t}
}

// Fetcher looks up digests at their sources.
type Fetcher struct {
	Client   *http.Client
	Patience time.Duration // how long a site can send nothing
}

// Digest returns the current digest: for a file, it is computed from all its
// bytes, which are not kept, by the algorithm of the pin's digest, or SHA-256 without
// one; for an image, it is its manifest's.
//
// Errors: the site or the registry does not answer, does not have it or falls silent
// (ErrSilent); ctx has ended.
func (f Fetcher) Digest(ctx context.Context, p Pin) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, mostTime, fmt.Errorf("it did not end within %s", mostTime))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(f.Patience, func() { stop(fmt.Errorf("%w for %s", ErrSilent, f.Patience)) })
	defer silence.Stop()
	heard := func() { silence.Reset(f.Patience) }
	fetch := func() (string, error) { return f.file(ctx, p, heard) }
	if p.Image != "" {
		fetch = func() (string, error) { return f.manifest(ctx, p) }
	}
	digest, err := fetch()
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", p.Reference(), cmp.Or(context.Cause(ctx), err))
	}
	return digest, nil
}

func (f Fetcher) file(ctx context.Context, p Pin, heard func()) (digest string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, http.NoBody)
	if err != nil {
		return "", err
	}
	// What the bytes are is asked for, not what they could be unpacked to.
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := f.Client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the site answers %s", answer.Status)
	}
	algorithm, sum := "sha256:", sha256.New()
	if strings.HasPrefix(p.Digest, "sha512:") {
		algorithm, sum = "sha512:", sha512.New()
	}
	if _, err := io.Copy(sum, reader{answer.Body, heard}); err != nil {
		return "", err
	}
	return algorithm + hex.EncodeToString(sum.Sum(nil)), nil
}

// reader signals when something arrived.
type reader struct {
	io.Reader
	heard func()
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.heard()
	}
	return n, err
}

// manifest asks a registry for the manifest of an image's tag, with an anonymous token
// where the registry wants one, and returns its digest, computed from its bytes.
func (f Fetcher) manifest(ctx context.Context, p Pin) (digest string, err error) {
	repository, err := remote.NewRepository(p.Image)
	if err != nil {
		return "", err
	}
	repository.Client = &auth.Client{Client: f.Client, Cache: auth.NewCache()}
	repository.PlainHTTP = loopback(repository.Reference.Registry)
	described, body, err := repository.FetchReference(ctx, p.Version)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if described.Size > largestManifest {
		return "", fmt.Errorf("the registry announces a manifest of %d bytes, and none has more than %d", described.Size, largestManifest)
	}
	// It fails when the bytes are not those of the digest that the registry returns.
	if _, err := content.ReadAll(body, described); err != nil {
		return "", err
	}
	return described.Digest.String(), nil
}

// loopback is whether a registry is on this machine, where there is no TLS, as with
// other clients.
func loopback(registry string) bool {
	host, _, err := net.SplitHostPort(registry)
	if err != nil {
		host = registry
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
