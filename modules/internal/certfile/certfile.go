// Package certfile reads the certificates in files of a host, and leaves keys there.
package certfile

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	_ "embed"

	"kinit/engine/module"
	"kinit/modules/internal/pki"
)

//go:embed certificates.sh
var script string

// Certificate is one certificate of a file.
type Certificate struct {
	Path      string
	Subject   string // such as "CN=kinit-admin,O=system:masters"
	Issuer    string // the subject of who signed it
	Authority bool   // it signs others
	NotBefore time.Time
	NotAfter  time.Time
}

// Command prints the certificates in the files that match globs.
func Command(globs ...string) module.Command {
	return module.Command{Argv: append([]string{"sh", "-c", script, "certificates"}, globs...)}
}

// Read returns the certificates in the files that match globs, in their order: those of PEM files,
// and the clients' in kubeconfigs.
func Read(ctx context.Context, h module.Host, globs ...string) ([]Certificate, error) {
	out, err := h.Run(ctx, Command(globs...))
	if err != nil {
		return nil, fmt.Errorf("read certificates: %w", err)
	}
	return parse(out.Stdout)
}

// parse reads what the script prints: a line with each file's name, then its certificates, as PEM
// or as the base64 of PEM.
func parse(text string) ([]Certificate, error) {
	all, file, block := []Certificate{}, "", ""
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case block != "" && (word == "file" || word == "data" || strings.HasPrefix(line, "-----BEGIN")):
			return nil, fmt.Errorf("the certificate in %s has no end", file)
		case word == "file":
			file = rest
			continue
		case word == "data":
			data, err := base64.StdEncoding.DecodeString(rest)
			if err != nil {
				return nil, fmt.Errorf("the client certificate in %s is not in base64", file)
			}
			block = string(data)
		default:
			if block += line; !strings.HasPrefix(line, "-----END") {
				continue
			}
		}
		found, err := certificate(file, block)
		if err != nil {
			return nil, err
		}
		all, block = append(all, found), ""
	}
	if block != "" {
		return nil, fmt.Errorf("the certificate in %s has no end", file)
	}
	return all, nil
}

func certificate(file, text string) (Certificate, error) {
	c, err := pki.ParseCert(text)
	if err != nil {
		return Certificate{}, errors.Join(fmt.Errorf("the certificate in %s cannot be read", file), err)
	}
	return Certificate{
		Path: file, Subject: c.Subject.String(), Issuer: c.Issuer.String(), Authority: c.IsCA, NotBefore: c.NotBefore, NotAfter: c.NotAfter,
	}, nil
}
