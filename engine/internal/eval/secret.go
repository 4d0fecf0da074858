package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/secretfile"
)

// setSecrets decrypts the secrets of the files. It adds each to the redactor before any
// other use.
func (s *Scope) setSecrets() diag.List {
	s.secrets = map[string]cty.Value{}
	for _, block := range s.names.Secrets {
		if block.Encrypted != nil {
			s.secrets[block.Name] = sensitive.Mark(cty.UnknownVal(cty.String))
		}
	}
	var diags diag.List
	var keys *secretfile.Keys
	for _, block := range s.names.Secrets {
		if block.Encrypted == nil {
			continue
		}
		at := block.Encrypted.Range()
		text, more := s.encrypted(block)
		diags = append(diags, more...)
		if more.HasErrors() {
			continue
		}
		if keys == nil {
			var err error
			if keys, err = s.keys(); err != nil {
				return append(diags, diag.Diagnostic{
					Summary: "No key for secrets", Subject: &at, Cause: err,
					Detail: fmt.Sprintf("secret.%s is encrypted, and there is no key for it: %v. Name a file of keys by %s.", block.Name, err, secretfile.Variable),
				})
			} else if keys == nil {
				return diags
			}
		}
		value, err := keys.Decrypt(text)
		if err != nil {
			diags = append(diags, diag.Errorf(&at, "Secret not decrypted", "secret.%s cannot be decrypted: %v.", block.Name, err)...)
			continue
		}
		decrypted := cty.StringVal(value.Reveal())
		diags = append(diags, tooShort("secret."+block.Name, at, decrypted)...)
		s.secrets[block.Name] = masked(decrypted, s.in.Redactor)
	}
	return diags
}

// encrypted evaluates the argument, a text. What is none, or is not encrypted, may be the secret
// itself: it is masked.
func (s *Scope) encrypted(block *spec.Secret) (string, diag.List) {
	at := block.Encrypted.Range()
	ctx := s.plain(at.Filename)
	value, problems := block.Encrypted.Value(ctx)
	if problems.HasErrors() {
		s.conceal(block.Encrypted, ctx)
		return "", diag.FromHCL(problems)
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil || text.IsNull() || !text.IsKnown() || !secretfile.IsEncrypted(text.AsString()) {
		masked(value, s.in.Redactor)
	}
	if err != nil || text.IsNull() || !text.IsKnown() {
		return "", diag.Errorf(&at, "Wrong type", "encrypted is a text as kinit secret encrypt writes it.")
	}
	return text.AsString(), nil
}

// keys reads the private keys. Without a key file both results are nil if secrets may be
// unknown.
func (s *Scope) keys() (*secretfile.Keys, error) {
	keys, err := secretfile.ReadKeys(secretfile.File(s.in.Environ, s.in.Sources.Home))
	if s.in.Keyless && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return keys, err
}

// Secrets returns the decrypted secrets of the files.
func (s *Scope) Secrets() map[string]cty.Value { return s.secrets }

func (s *Scope) isMade(name string) bool {
	return slices.ContainsFunc(s.names.Secrets, func(b *spec.Secret) bool { return b.Name == name && b.Task != nil })
}
