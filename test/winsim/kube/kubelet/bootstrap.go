package kubelet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine/ntfs"
)

// signingRequests is where certificates are asked for.
const signingRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

// signingRequest is a CertificateSigningRequest.
type signingRequest struct {
	APIVersion string        `json:"apiVersion,omitempty"`
	Kind       string        `json:"kind,omitempty"`
	Metadata   rest.Metadata `json:"metadata"`
	Spec       struct {
		Request    []byte   `json:"request"`
		SignerName string   `json:"signerName"`
		Usages     []string `json:"usages"`
	} `json:"spec"`
	Status struct {
		Certificate []byte `json:"certificate"`
		Conditions  []struct {
			Type    string `json:"type"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"conditions"`
	} `json:"status,omitzero"`
}

// bootstrap asks for the node's certificate with the bootstrap token and writes the
// kubeconfig with it.
func (k *kubelet) bootstrap(ctx context.Context, path string) (rest.Access, error) {
	first, err := rest.ReadKubeconfig(k.p.Machine, cli.Whole(k.p, k.flags.Get("bootstrap-kubeconfig", "")))
	if err != nil {
		return rest.Access{}, fmt.Errorf("unable to load bootstrap kubeconfig: %w", err)
	}
	api, err := rest.NewClient(k.p.Machine, first)
	if err != nil {
		return rest.Access{}, err
	}
	defer api.Close()
	key, request, err := k.signingRequest()
	if err != nil {
		return rest.Access{}, err
	}
	var made signingRequest
	if err := api.Post(ctx, signingRequests, request, &made); err != nil {
		return rest.Access{}, fmt.Errorf("failed to run Kubelet: cannot create certificate signing request: %w", err)
	}
	certificate, err := awaitCertificate(ctx, api, made.Metadata.Name)
	if err != nil {
		return rest.Access{}, err
	}
	return k.keep(path, first, append(certificate, key...))
}

// signingRequest makes a key and the request for a node's certificate with it.
func (k *kubelet) signingRequest() (keyPEM []byte, _ signingRequest, _ error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, signingRequest{}, err
	}
	subject := pkix.Name{Organization: []string{"system:nodes"}, CommonName: "system:node:" + k.name}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, key)
	if err != nil {
		return nil, signingRequest{}, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, signingRequest{}, err
	}
	r := signingRequest{APIVersion: "certificates.k8s.io/v1", Kind: "CertificateSigningRequest", Metadata: rest.Metadata{GenerateName: "csr-"}}
	r.Spec.Request = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	r.Spec.SignerName = "kubernetes.io/kube-apiserver-client-kubelet"
	r.Spec.Usages = []string{"digital signature", "client auth"}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}), r, nil
}

// certificateTime is how long a kubelet waits for its certificate.
const certificateTime = time.Hour

// awaitCertificate waits until the request is signed or refused.
func awaitCertificate(ctx context.Context, api *rest.Client, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, certificateTime)
	defer cancel()
	for {
		var r signingRequest
		err := api.Get(ctx, signingRequests+"/"+name, &r)
		if err == nil && len(r.Status.Certificate) > 0 {
			return r.Status.Certificate, nil
		}
		for _, c := range r.Status.Conditions {
			if c.Type == "Denied" || c.Type == "Failed" {
				return nil, fmt.Errorf("certificate signing request %s is %s, reason: %s, message: %s", name, c.Type, c.Reason, c.Message)
			}
		}
		if !cli.Sleep(ctx, 4*cli.Pause) {
			return nil, errors.Join(errors.New("timed out waiting for the certificate"), err)
		}
	}
}

// keep writes key and certificate in one file, which the kubeconfig names, with a link
// to it that later certificates replace.
func (k *kubelet) keep(path string, a rest.Access, pair []byte) (rest.Access, error) {
	files := k.p.Machine.Files
	folder := cli.Whole(k.p, k.flags.Get("cert-dir", Dir+"/pki"))
	if err := files.Mkdir(folder); err != nil {
		return rest.Access{}, err
	}
	name := "kubelet-client-" + k.p.Machine.Now().UTC().Format("2006-01-02-15-04-05") + ".pem"
	if err := files.WriteFile(folder+`\`+name, pair); err != nil {
		return rest.Access{}, err
	}
	current := folder + `\kubelet-client-current.pem`
	_ = files.Remove(current, true) // there may be none
	if err := files.Link(current, name, ntfs.SymbolicLink); err != nil {
		return rest.Access{}, err
	}
	login := rest.Auth{CertFile: current, KeyFile: current}
	to := rest.Cluster{Server: a.Server, ServerName: a.ServerName, CAData: base64.StdEncoding.EncodeToString(a.CA)}
	if err := rest.NewKubeconfig(to, "default-cluster", "default-auth", login).Write(k.p.Machine, path); err != nil {
		return rest.Access{}, err
	}
	a.Token, a.Cert, a.Key = "", pair, pair
	return a, nil
}
