package pins

import (
	"context"
	"errors"
	"net"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// manifest asks a registry for the manifest of an image's tag, with a token of nobody
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
	// It fails when the bytes are not those of the digest that the registry tells.
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
