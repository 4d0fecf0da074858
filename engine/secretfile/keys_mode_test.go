package secretfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/trust"
)

func TestPrivateKeyThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "age.key")
	text, _, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKeys(file); err != nil {
		t.Error(err)
	}
	for _, mode := range []os.FileMode{0o666, 0o644, 0o640} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadKeys(file); !errors.Is(err, trust.ErrUntrusted) || !strings.Contains(err.Error(), "Run 'chmod 600 "+file+"'") {
			t.Errorf("mode %o: error %v", mode, err)
		}
	}
}
