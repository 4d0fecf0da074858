package inventory

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/secret"
)

// lock reads the lock block, of which there is one in all inventories.
func (l *loader) lock(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	if l.inv.Lock != nil {
		l.Errorf(b.DefRange(), "Duplicate lock", "Locks are in one place, which is declared already, at %s.", l.inv.Lock.Range)
		return
	}
	l.inv.Lock = &Lock{Range: b.DefRange()}
	for _, name := range sortedNames(b.Body.Attributes) {
		l.Errorf(b.Body.Attributes[name].NameRange, "Unknown argument", "A lock block has no argument %q, only the block etcd.", name)
	}
	var found *hclsyntax.Block
	for _, inner := range b.Body.Blocks {
		switch {
		case inner.Type != "etcd":
			l.Errorf(inner.TypeRange, "Unknown block type", "A lock block has no block %q.%s", inner.Type, diag.Near(inner.Type, []string{"etcd"}))
		case len(inner.Labels) > 0:
			l.Errorf(inner.DefRange(), "Wrong labels", "An etcd block has no label.")
		case found != nil:
			l.Errorf(inner.DefRange(), "Duplicate etcd", "Locks are in one etcd, which is declared already, at %s. Its members are its endpoints.", found.DefRange())
		default:
			found = inner
			l.inv.Lock.Etcd = (&fields{loader: l, block: inner, ctx: ctx}).etcd()
		}
	}
	if found == nil && len(b.Body.Blocks) == 0 {
		l.Errorf(b.DefRange(), "Missing block", "A lock block says where locks are, as in: lock { etcd { endpoints = [\"https://etcd.example.com:2379\"] } }")
	}
}

func (f *fields) etcd() Etcd {
	e := Etcd{Prefix: DefaultPrefix}
	whole := len(f.Diags)
	f.decode("endpoints", &e.Endpoints)
	f.decode("ca", &e.CA)
	f.decode("certificate", &e.Certificate)
	f.decode("key", &e.Key)
	f.decode("user", &e.User)
	f.decode("password", &e.Password)
	f.decode("prefix", &e.Prefix)
	f.finish()
	if len(f.Diags) == whole {
		f.endpoints(e.Endpoints)
		f.certificates(e)
		f.login(e)
	}
	if strings.Trim(e.Prefix, "/") == "" {
		f.wrong("prefix", "Invalid prefix", "Give a text with which the keys of locks begin, such as %q.", DefaultPrefix)
	}
	return e
}

// wrong tells of a mistake in an argument, or of its absence.
func (f *fields) wrong(name, summary, format string, args ...any) {
	at := f.block.DefRange()
	if expr := f.expr(name); expr != nil {
		at = expr.Range()
	}
	f.Errorf(at, summary, format, args...)
}

func (f *fields) endpoints(all []string) {
	if len(all) == 0 {
		f.wrong("endpoints", "Missing endpoints", "An etcd block needs the URLs of the members, as in: endpoints = [\"https://etcd.example.com:2379\"]")
		return
	}
	for i, text := range all {
		u, err := url.Parse(text)
		if err != nil || !isEndpoint(u) {
			f.wrong("endpoints", "Invalid endpoint", "Endpoint %d is not https://HOST:PORT or http://HOST:PORT. Who logs in is said by user and password.", i+1)
			return
		}
		if isPlain(text) != isPlain(all[0]) {
			f.wrong("endpoints", "Mixed endpoints", "Give either https for all endpoints or http for all.")
			return
		}
	}
}

func isEndpoint(u *url.URL) bool {
	port, err := strconv.Atoi(u.Port())
	whole := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && err == nil && port > 0 && port < 1<<16 && u.String() == whole
}

// isPlain reports whether nothing is encrypted on the way to an endpoint.
func isPlain(endpoint string) bool { return strings.HasPrefix(endpoint, "http://") }

// certificates checks what TLS needs.
func (f *fields) certificates(e Etcd) {
	plain := len(e.Endpoints) > 0 && isPlain(e.Endpoints[0])
	for _, given := range [][2]string{{"ca", e.CA}, {"certificate", e.Certificate}, {"key", e.Key.Reveal()}} {
		if given[1] != "" && plain {
			f.wrong(given[0], "Not encrypted", "With http there are no certificates. Give endpoints as https://HOST:PORT.")
			return
		}
	}
	if e.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(e.CA)) {
		f.wrong("ca", "Invalid ca", "Give a certificate in PEM, as in: ca = file(\"ca.pem\")")
	}
	switch {
	case e.Certificate == "" && e.Key == "":
	case e.Key == "":
		f.wrong("certificate", "Missing key", "A certificate needs its key, as in: key = file(\"etcd.key\")")
	case e.Certificate == "":
		f.wrong("key", "Missing certificate", "A key needs its certificate, as in: certificate = file(\"etcd.pem\")")
	default:
		if _, err := tls.X509KeyPair([]byte(e.Certificate), []byte(e.Key.Reveal())); err != nil {
			f.wrong("certificate", "Invalid certificate", "The certificate and its key are no pair in PEM: %v.", err)
		}
	}
}

func (f *fields) login(e Etcd) {
	switch {
	case e.User == "" && e.Password == "":
	case e.Password == "":
		f.wrong("user", "Missing password", "A user needs a password, as in: password = trimspace(file(\"etcd.password\"))")
	case e.User == "":
		f.wrong("password", "Missing user", "A password is of a user.")
	case len(e.Password) < secret.Shortest:
		f.wrong("password", "Secret too short", "The password has fewer than %d bytes, which cannot be masked in what programs print. Choose a longer one.", secret.Shortest)
	case len(e.Endpoints) > 0 && isPlain(e.Endpoints[0]):
		f.wrong("password", "Not encrypted", "With http the password would be sent in clear. Give endpoints as https://HOST:PORT.")
	}
}
