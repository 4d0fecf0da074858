package kubeapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/httpclient"
)

// answerTime limits one request to a server on a host of ordinary speed. Guests with an emulated CPU
// need seconds for a TLS handshake.
const answerTime = 20 * time.Second

// unreachable is the status of a server that gives no answer at all.
const unreachable = 0

// largestAnswer is the longest answer, in bytes. etcd stores objects of up to 1.5 MiB, and the control plane of a node is four
// pods of a few KiB.
const largestAnswer = 2 << 20

// get requests a path and returns the HTTP status, or unreachable, with the body, of at most
// largestAnswer. An error means that the request or the answer was wrong, that the server is another than
// expected, or that ctx ended.
func (c Config) get(ctx context.Context, h module.Host, path string) (int, []byte, error) {
	client, err := c.client(h)
	if err != nil {
		return 0, nil, err
	}
	defer client.CloseIdleConnections()
	asking, limit := module.Within(ctx, h, answerTime)
	defer limit.End()
	request, err := http.NewRequestWithContext(asking, http.MethodGet, c.Server+path, nil)
	if err != nil {
		return 0, nil, fmt.Errorf("the server %q is no URL", c.Server)
	}
	reply, err := client.Do(request)
	if ctx.Err() != nil {
		return 0, nil, ctx.Err()
	}
	if trust := (*tls.CertificateVerificationError)(nil); errors.As(err, &trust) {
		return 0, nil, fmt.Errorf("the API server at %s is not the cluster's: %w", c.Server, err)
	}
	if err != nil {
		return unreachable, nil, nil
	}
	defer reply.Body.Close()
	text, err := httpclient.Text(reply, largestAnswer)
	if err != nil {
		return 0, nil, fmt.Errorf("read the answer of the API server at %s: %w", c.Server, err)
	}
	return reply.StatusCode, text, nil
}

func (c Config) client(h module.Host) (*http.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(c.CA)) {
		return nil, errors.New("the cluster's CA certificate cannot be read")
	}
	settings := &tls.Config{RootCAs: roots, ServerName: c.Name}
	if len(c.Client.Certificate) > 0 {
		settings.Certificates = []tls.Certificate{c.Client}
	}
	// It follows no redirect, which keeps certificates on the server that was asked: API servers redirect no request
	// that kinit sends.
	return httpclient.Plain(h, settings, 0), nil
}

// Ready reports whether the server is ready, which it reports to everyone
// (Kubernetes' role system:public-info-viewer).
func (c Config) Ready(ctx context.Context, h module.Host) (bool, error) {
	status, _, err := c.get(ctx, h, "/readyz")
	return status == http.StatusOK, err
}

// HasNode reports whether the cluster has a node. The server must answer.
func (c Config) HasNode(ctx context.Context, h module.Host, name string) (bool, error) {
	status, _, err := c.get(ctx, h, "/api/v1/nodes/"+url.PathEscape(name))
	switch {
	case err != nil, status == http.StatusOK, status == http.StatusNotFound:
		return status == http.StatusOK, err
	case status == unreachable:
		return false, fmt.Errorf("the API server at %s does not answer", c.Server)
	}
	return false, fmt.Errorf("the API server at %s answers %d to a question about node %s", c.Server, status, name)
}

// pollTime is the time between two requests while waiting.
const pollTime = 500 * time.Millisecond

// Wait asks until the answer is true, the time is over, which is longer on a
// slow host, or ctx ends. An error counts as false until the end, and is then returned.
func Wait(ctx context.Context, h module.Host, within time.Duration, ask func(context.Context) (bool, error)) error {
	waiting, limit := module.Within(ctx, h, within)
	defer limit.End()
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		yes, err := ask(waiting)
		if yes && err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-waiting.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("not so after %v", limit)
			}
			return fmt.Errorf("not so after %v: %w", limit, err)
		}
	}
}

// Node is what the API server says of a node.
type Node struct {
	Version string // of its kubelet
	Ready   bool
}

// GetNode asks for a node. The cluster must have it.
func (c Config) GetNode(ctx context.Context, h module.Host, name string) (Node, error) {
	var object struct {
		Status struct {
			NodeInfo   struct{ KubeletVersion string }
			Conditions []struct{ Type, Status string }
		}
	}
	if err := c.read(ctx, h, "/api/v1/nodes/"+url.PathEscape(name), &object); err != nil {
		return Node{}, fmt.Errorf("ask for the node %s: %w", name, err)
	}
	n := Node{Version: object.Status.NodeInfo.KubeletVersion}
	for _, condition := range object.Status.Conditions {
		n.Ready = n.Ready || condition.Type == "Ready" && condition.Status == "True"
	}
	return n, nil
}

// Container is a container of the control plane.
type Container struct {
	Name, Image string
	Ready       bool
}

// StaticPods asks for the containers of the control plane on a node.
func (c Config) StaticPods(ctx context.Context, h module.Host, node string) ([]Container, error) {
	query := url.Values{"fieldSelector": {"spec.nodeName=" + node}, "labelSelector": {"tier=control-plane"}}
	var pods struct {
		Items []struct {
			Spec struct {
				Containers []struct{ Name, Image string }
			}
			Status struct {
				ContainerStatuses []struct {
					Name  string
					Ready bool
				}
			}
		}
	}
	if err := c.read(ctx, h, "/api/v1/namespaces/kube-system/pods?"+query.Encode(), &pods); err != nil {
		return nil, fmt.Errorf("ask for the control plane of %s: %w", node, err)
	}
	var all []Container
	for _, pod := range pods.Items {
		for _, container := range pod.Spec.Containers {
			is := Container{Name: container.Name, Image: container.Image}
			for _, status := range pod.Status.ContainerStatuses {
				is.Ready = is.Ready || status.Name == is.Name && status.Ready
			}
			all = append(all, is)
		}
	}
	return all, nil
}

// read gets an object. The server must answer with it.
func (c Config) read(ctx context.Context, h module.Host, path string, object any) error {
	status, text, err := c.get(ctx, h, path)
	switch {
	case err != nil:
		return err
	case status == unreachable:
		return fmt.Errorf("the API server at %s does not answer", c.Server)
	case status != http.StatusOK:
		return fmt.Errorf("the API server at %s answers %d", c.Server, status)
	}
	return httpclient.Decode(text, object)
}
