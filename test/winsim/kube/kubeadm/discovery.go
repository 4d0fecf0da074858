package kubeadm

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
)

// clusterInfo is where the cluster says publicly what it is.
const clusterInfo = "/api/v1/namespaces/kube-public/configmaps/cluster-info"

// discoveryPause is how long kubeadm waits between attempts (DiscoveryRetryInterval).
const discoveryPause = 5 * time.Second

// discover finds the cluster by a token, in three steps as kubeadm does: what anybody
// says it is, signed with the token; its authority, which must have a pinned hash; and
// the same again over a connection that this authority vouches for.
func discover(ctx context.Context, m *machine.Machine, b *bootstrapToken, limit time.Duration) (rest.Cluster, error) {
	anybody := rest.Access{Server: "https://" + b.Endpoint, Insecure: true}
	first, err := askClusterInfo(ctx, m, anybody, b.id(), limit)
	if err != nil {
		return rest.Cluster{}, err
	}
	text, err := verifySignature(first, b.Token)
	if err != nil {
		return rest.Cluster{}, err
	}
	k, err := rest.ParseKubeconfig([]byte(text))
	if err != nil || len(k.Clusters) != 1 {
		return rest.Cluster{}, fmt.Errorf("couldn't parse the kubeconfig file in the cluster-info ConfigMap: %w", err)
	}
	found := k.Clusters[0].Cluster
	if len(b.CACertHashes) == 0 {
		return found, nil
	}
	authority, err := base64.StdEncoding.DecodeString(found.CAData)
	if err != nil {
		return rest.Cluster{}, err
	}
	if err := checkPins(authority, b.CACertHashes); err != nil {
		return rest.Cluster{}, fmt.Errorf("cluster CA found in cluster-info ConfigMap is invalid: %w", err)
	}
	second, err := askClusterInfo(ctx, m, rest.Access{Server: anybody.Server, CA: authority}, b.id(), limit)
	if err != nil {
		return rest.Cluster{}, err
	}
	if second.Data["kubeconfig"] != text {
		return rest.Cluster{}, errors.New("the second kubeconfig from the cluster-info ConfigMap (using validated TLS) was different from the first")
	}
	return found, nil
}

// id is the public part of the token.
func (b *bootstrapToken) id() string {
	id, _, _ := strings.Cut(b.Token, ".")
	return id
}

// signatureOf begins the key of a token's signature.
const signatureOf = "jws-kubeconfig-"

// askClusterInfo asks until there is an answer that is signed with the token: the
// signature comes a while after all else.
func askClusterInfo(ctx context.Context, m *machine.Machine, a rest.Access, id string, limit time.Duration) (rest.ConfigMap, error) {
	c, err := rest.NewClient(m, a)
	if err != nil {
		return rest.ConfigMap{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		var info rest.ConfigMap
		err := c.Get(ctx, clusterInfo, &info)
		_, signed := info.Data[signatureOf+id]
		switch {
		case err != nil:
			err = fmt.Errorf("failed to request the cluster-info ConfigMap: %w", err)
		case !signed:
			err = fmt.Errorf("could not find a JWS signature in the cluster-info ConfigMap for token ID %q", id)
		default:
			return info, nil
		}
		if !cli.Sleep(ctx, min(discoveryPause, limit/2)) {
			return rest.ConfigMap{}, fmt.Errorf("couldn't validate the identity of the API Server: %w", err)
		}
	}
}

// verifySignature checks the signature of the token and returns the kubeconfig. It is
// a JWS with detached content: header, nothing, HMAC-SHA256 over header and content
// (RFC 7515 appendix F).
func verifySignature(info rest.ConfigMap, token string) (string, error) {
	parts := tokenForm.FindStringSubmatch(token)
	id, secret := parts[1], parts[2]
	text := info.Data["kubeconfig"]
	if text == "" {
		return "", errors.New("there is no kubeconfig key in the cluster-info ConfigMap. This API Server isn't set up for token bootstrapping, can't connect")
	}
	signature := info.Data[signatureOf+id]
	if signature == "" {
		return "", fmt.Errorf("token id %q is invalid for this cluster or it has expired. Use \"kubeadm token create\" on the control-plane node to create a new valid token", id)
	}
	header, rest, _ := strings.Cut(signature, ".")
	_, sum, _ := strings.Cut(rest, ".")
	var fields struct {
		Algorithm string `json:"alg"`
		Key       string `json:"kid"`
	}
	decoded, err := base64.RawURLEncoding.DecodeString(header)
	if err == nil {
		err = json.Unmarshal(decoded, &fields)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(header + "." + base64.RawURLEncoding.EncodeToString([]byte(text))))
	want := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	if err != nil || fields.Algorithm != "HS256" || fields.Key != id || !hmac.Equal([]byte(sum), []byte(want)) {
		return "", errors.New("failed to verify JWS signature of received cluster info object, can't trust this API Server")
	}
	return text, nil
}

// checkPins wants the public key of one of the certificates among the pinned hashes.
func checkPins(authority []byte, hashes []string) error {
	var seen []string
	for block, rest := pem.Decode(authority); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
		seen = append(seen, "sha256:"+hex.EncodeToString(sum[:]))
	}
	for _, hash := range hashes {
		if slices.Contains(seen, strings.ToLower(hash)) {
			return nil
		}
	}
	return fmt.Errorf("none of the public keys %q are pinned", strings.Join(seen, ":"))
}
