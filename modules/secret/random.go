package secretvalue

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// The alphabets of the formats. Bootstrap tokens follow Kubernetes' pattern
// k8s.io/cluster-bootstrap/token/api.BootstrapTokenPattern.
const (
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	tokenLetters = "abcdefghijklmnopqrstuvwxyz0123456789"
	tokenID      = 6  // letters before the dot
	tokenSecret  = 16 // letters after it
)

func (t *Task) generate() (string, error) {
	switch t.Format {
	case "hex":
		random := make([]byte, t.Bytes)
		if _, err := rand.Read(random); err != nil {
			return "", fmt.Errorf("read random bytes: %w", err)
		}
		return hex.EncodeToString(random), nil
	case "token":
		letters, err := pick(tokenLetters, tokenID+tokenSecret)
		if err != nil {
			return "", err
		}
		return letters[:tokenID] + "." + letters[tokenID:], nil
	}
	return pick(alphanumeric, t.Length)
}

// pick draws letters, each as likely as any other.
func pick(alphabet string, count int) (string, error) {
	var b strings.Builder
	for range count {
		i, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", fmt.Errorf("read random bytes: %w", err)
		}
		b.WriteByte(alphabet[i.Int64()])
	}
	return b.String(), nil
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
