package pins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrSilent means that a site sent nothing within the Fetcher's patience.
var ErrSilent = errors.New("nothing arrived")

// Fetcher looks up digests at their sources.
type Fetcher struct {
	Client   *http.Client
	Patience time.Duration // how long a site can send nothing
}

// Digest returns the current digest: for a file, it is computed from all its
// bytes, which are not kept; for an image, it is its manifest's.
//
// Errors: the site or the registry does not answer, does not have it or falls silent
// (ErrSilent); ctx has ended.
func (f Fetcher) Digest(ctx context.Context, p Pin) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(f.Patience, func() { stop(fmt.Errorf("%w for %s", ErrSilent, f.Patience)) })
	defer silence.Stop()
	heard := func() { silence.Reset(f.Patience) }
	digest, err := "", error(nil)
	if p.Image != "" {
		digest, err = f.manifest(ctx, p)
	} else {
		digest, err = f.file(ctx, p.URL, heard)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", p.Reference(), err)
	}
	return digest, nil
}

// file downloads a file and computes its digest.
func (f Fetcher) file(ctx context.Context, url string, heard func()) (digest string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
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
	sum := sha256.New()
	if _, err := io.Copy(sum, reader{answer.Body, heard}); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// reader tells when something arrived.
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
