package runner

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine/secret"
)

// packed is an archive with one file.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, err := range []error{
		archive.WriteHeader(&tar.Header{Name: "events.jsonl", Mode: 0o600, Size: int64(len(text))}),
		func() error { _, err := archive.Write([]byte(text)); return err }(),
		archive.Close(), zipped.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func TestASecretInAFileIsFoundWhateverWroteIt(t *testing.T) {
	t.Parallel()
	redactor := &secret.Redactor{}
	redactor.Add(`open <sesame> & "more"`)
	for name, c := range map[string]struct {
		file    string
		content []byte
		clean   bool
	}{
		"nothing":            {"junit.xml", []byte("all is well"), true},
		"as it is":           {"junit.xml", []byte(`x open <sesame> & "more" y`), false},
		"in HTML":            {"report.html", []byte("open &lt;sesame&gt; &amp; &#34;more&#34;"), false},
		"in JSON":            {"events.jsonl", []byte(`{"a":"open \u003csesame\u003e \u0026 \"more\""}`), false},
		"in base64":          {"events.jsonl", []byte("b3BlbiA8c2VzYW1lPiAmICJtb3JlIg=="), false},
		"in an archive":      {"evidence.tar.gz", packed(t, `open <sesame> & "more"`), false},
		"not in the archive": {"evidence.tar.gz", packed(t, "all is well"), true},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		got, err := keepFile(path, func(to io.Writer) error { _, err := to.Write(c.content); return err }, redactor.Redact)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum := sha256.Sum256(c.content)
		want := result.File{Name: c.file, Size: int64(len(c.content)), SHA256: hex.EncodeToString(sum[:]), Clean: c.clean}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, c.content) {
			t.Errorf("%s: kept %q, error %v", name, kept, err)
		}
	}
}

func TestUnreadableFileIsNotClean(t *testing.T) {
	t.Parallel()
	redactor := &secret.Redactor{}
	if clean, err := free("evidence.tar.gz", []byte("no archive"), redactor.Redact); clean || err == nil {
		t.Errorf("got %t, %v", clean, err)
	}
	if clean, err := free("junit.xml", []byte("x"), nil); clean || err != nil {
		t.Errorf("without a redactor: got %t, %v", clean, err)
	}
}
