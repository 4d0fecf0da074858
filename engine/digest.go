package engine

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"kinit/engine/event"
	"kinit/engine/internal/spec"
)

// slowRounds is the number of hash rounds for a digest of something secret, as OWASP
// advises for PBKDF2 with SHA-256. It makes guessing a short password from a saved plan
// slow.
const slowRounds = 600_000

func slowDigest(text, salt string) string {
	key, err := pbkdf2.Key(sha256.New, text, []byte(salt), slowRounds, sha256.Size)
	if err != nil { // only for sizes and hashes that are not allowed
		panic("engine: " + err.Error())
	}
	return hex.EncodeToString(key)
}

// digests returns the digests of the spec, its playbooks and the inventories.
func (t texts) digests() map[string]string {
	all := map[string]string{}
	for name, file := range t.files() {
		sum := sha256.Sum256(file.Bytes)
		all[name] = hex.EncodeToString(sum[:])
	}
	return all
}

// readDigests returns the slow digests of the files that expressions and tasks have read,
// and of some others.
func readDigests(p *planned, salt string, others ...string) map[string]string {
	files, from, all := p.files(), sources(p.options), map[string]string{}
	for _, name := range slices.Concat(p.filesRead.Names(), others) {
		if files[name] == nil && !spec.IsBuiltin(name) && all[name] == "" {
			all[name] = slowFileDigest(from, name, salt)
		}
	}
	return all
}

// slowFileDigest returns a digest of a file, or a text for one that cannot be read, since a
// missing file may exist later.
func slowFileDigest(from spec.Sources, name, salt string) string {
	const none = "none"
	file, err := from.Open(name)
	if err != nil {
		return none
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return none
	}
	return slowDigest(string(sum.Sum(nil)), salt)
}

// keepValues keeps the given values, but only digests of sensitive variables and of values
// that contain a secret.
func (s *Saved) keepValues(p *planned) {
	sensitive := map[string]bool{}
	declared := map[string]bool{}
	for _, v := range p.spec.Root.Variables {
		sensitive[v.Name], declared[v.Name] = v.Sensitive, true
	}
	keep := func(into map[string]string, name, value string, fromEnviron bool) {
		if sensitive[name] || p.options.Redactor.Redact(value) != value {
			s.Secrets[name] = SavedSecret{Digest: slowDigest(value, s.Salt), Environ: fromEnviron}
			return
		}
		into[name] = value
	}
	for name, value := range environ(p.options.Environ) {
		if _, given := p.options.Vars[name]; declared[name] && !given {
			keep(s.Environ, name, value, true)
		}
	}
	for name, value := range p.options.Vars {
		keep(s.Vars, name, value, false)
	}
	s.Read = readDigests(p, s.Salt)
}

// describeSteps describes what a task does, for people.
func describeSteps(steps []string, later bool) string {
	switch {
	case later:
		return "known after other tasks"
	case len(steps) == 0:
		return "nothing to do"
	case len(steps) == 1:
		return event.FirstLine(steps[0])
	}
	return fmt.Sprintf("%s (+%d)", event.FirstLine(steps[0]), len(steps)-1)
}
