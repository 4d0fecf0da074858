package engine

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"kinit/engine/diag"
)

// slowRounds is how often a digest of something secret is hashed: what OWASP advises
// for PBKDF2 with SHA-256. A short password in a saved plan takes long to guess.
const slowRounds = 600_000

// slowDigest is a digest of a text that may be secret.
func slowDigest(text, salt string) string {
	key, err := pbkdf2.Key(sha256.New, text, []byte(salt), slowRounds, sha256.Size)
	if err != nil { // only for sizes and hashes that are not allowed
		panic("engine: " + err.Error())
	}
	return hex.EncodeToString(key)
}

// fileDigests are the digests of the files that were read, but for those with
// values of variables.
func (l *loaded) fileDigests() map[string]string {
	values := map[string]bool{}
	for _, name := range l.options.VarFiles {
		values[name] = true
	}
	all := map[string]string{}
	for name, file := range l.files() {
		if !values[name] {
			sum := sha256.Sum256(file.Bytes)
			all[name] = hex.EncodeToString(sum[:])
		}
	}
	return all
}

// keepValues keeps the values that were given, and only digests of secret ones: of
// sensitive variables, and of others with a secret in them.
func (s *Saved) keepValues(l *loaded) diag.List {
	sensitive := map[string]bool{}
	declared := map[string]bool{}
	for _, v := range l.spec.Variables {
		sensitive[v.Name], declared[v.Name] = v.Sensitive, true
	}
	keep := func(into map[string]string, name, value string, fromEnviron bool) {
		if sensitive[name] || l.options.Redactor.Redact(value) != value {
			s.Secrets[name] = SavedSecret{Digest: slowDigest(value, s.Salt), Environ: fromEnviron}
			return
		}
		into[name] = value
	}
	for name, value := range environ(l.options.Environ) {
		if _, given := l.options.Vars[name]; declared[name] && !given {
			keep(s.Environ, name, value, true)
		}
	}
	for name, value := range l.options.Vars {
		keep(s.Vars, name, value, false)
	}
	var diags diag.List
	s.Values, diags = l.valueDigests(s.Salt)
	return diags
}

// valueDigests are the digests of the files with values.
func (l *loaded) valueDigests(salt string) (map[string]string, diag.List) {
	all := map[string]string{}
	for _, name := range l.options.VarFiles {
		text, err := l.sources().ReadFile(name)
		if err != nil {
			return nil, diag.Errorf(nil, "Unreadable file", "The file of --var-file could not be read: %v.", err)
		}
		all[name] = slowDigest(string(text), salt)
	}
	return all, nil
}

// describeSteps is what a task does, for people.
func describeSteps(steps []string, later bool) string {
	switch {
	case later:
		return "known after other tasks"
	case len(steps) == 0:
		return "nothing to do"
	case len(steps) == 1:
		return firstLine(steps[0])
	}
	return fmt.Sprintf("%s (+%d)", firstLine(steps[0]), len(steps)-1)
}
