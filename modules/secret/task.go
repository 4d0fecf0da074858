// Package secretvalue is the module secret: a random value that is made once and stored
// in a private file on the host.
package secretvalue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Task is a random value, made once and stored in a file of the host. An existing value
// in the requested form is kept.
//
// Errors:
//   - path is not absolute, or length or bytes is out of 8 to 128
type Task struct {
	// Path is the file on the host, with mode 0600.
	Path string `hcl:"path" path:"absolute"`
	// Format is the form of the value: a "password" of letters and digits, a "token" of
	// kubeadm, [a-z0-9]{6}.[a-z0-9]{16}, or "hex".
	Format string `hcl:"format,optional" enum:"password,token,hex" default:"password"`
	// Length is the length of a password in characters.
	Length int `hcl:"length,optional" default:"24"`
	// Bytes is the number of random bytes of a hex value, the size of a kubeadm certificate key.
	Bytes int `hcl:"bytes,optional" default:"32"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "secret"})
}

func (t *Task) Validate() error {
	switch {
	case t.Length < 8 || t.Length > 128:
		return fmt.Errorf("length is %d, expected 8 to 128 characters", t.Length)
	case t.Bytes < 8 || t.Bytes > 128:
		return fmt.Errorf("bytes is %d, expected 8 to 128", t.Bytes)
	}
	return nil
}

// read returns the value in the file and whether there is a file.
func (t *Task) read(ctx context.Context, h module.Host) (string, bool, error) {
	text, there, err := hostfile.Read(ctx, h, t.Path)
	return strings.TrimSuffix(text, "\n"), there, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return hostfile.PlanDrop(ctx, h, advice, t.Path)
	}
	value, there, err := t.read(ctx, h)
	if err != nil || there && t.fits(value) {
		return nil, err
	}
	text := fmt.Sprintf("make %s %s", t.Format, t.Path)
	if there {
		if err := ownership.Free(ctx, h, t.Path, advice); err != nil {
			return nil, err
		}
		text += ": the one there has another form"
	}
	return module.OneStep(text, t.make), nil
}

// make keeps a value that fits, so that it can be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	value, there, err := t.read(ctx, h)
	if err != nil || (there && t.fits(value)) {
		return err
	}
	value = t.generate()
	h.AddSecret(secret.Value(value))
	return hostfile.Put(ctx, h, t.Path, value+"\n", module.Attr{Mode: 0o600})
}

// advice is what to do about a file that is not the owner's.
const advice = "move it away, or use another path"

type Outputs struct {
	Path  string       `cty:"path" arg:"path,content"` // the file
	Value secret.Value `cty:"value"`                   // the value; secret
}

// Outputs reads the value and registers it as a secret.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	value, _, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	h.AddSecret(secret.Value(value))
	return Outputs{Path: t.Path, Value: secret.Value(value)}, nil
}

// The alphabets of the formats. Bootstrap tokens follow Kubernetes' pattern
// k8s.io/cluster-bootstrap/token/api.BootstrapTokenPattern.
const (
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	tokenLetters = "abcdefghijklmnopqrstuvwxyz0123456789"
	tokenID      = 6  // letters before the dot
	tokenSecret  = 16 // letters after it
)

func (t *Task) generate() string {
	switch t.Format {
	case "hex":
		random := make([]byte, t.Bytes)
		rand.Read(random) // it returns no error
		return hex.EncodeToString(random)
	case "token":
		return pick(tokenLetters, tokenID) + "." + pick(tokenLetters, tokenSecret)
	}
	return pick(alphanumeric, t.Length)
}

// pick draws letters, each as likely as any other.
func pick(alphabet string, count int) string {
	var b strings.Builder
	for range count {
		i, _ := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet)))) // the reader returns no error
		b.WriteByte(alphabet[i.Int64()])
	}
	return b.String()
}

// fits reports whether a value has the form that the arguments require.
func (t *Task) fits(value string) bool {
	pattern := fmt.Sprintf(`^[A-Za-z0-9]{%d}$`, t.Length)
	switch t.Format {
	case "hex":
		pattern = fmt.Sprintf(`^[0-9a-f]{%d}$`, 2*t.Bytes)
	case "token":
		pattern = fmt.Sprintf(`^[a-z0-9]{%d}\.[a-z0-9]{%d}$`, tokenID, tokenSecret)
	}
	return regexp.MustCompile(pattern).MatchString(value)
}
