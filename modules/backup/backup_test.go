package backup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/backupfile"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
	"kinit/modules/backup"
	"kinit/test/kube"
)

// etcd is a real one of one member on this machine.
type etcd struct {
	url  string
	stop func()
}

// newEtcd starts an etcd on a folder with data, or on an empty one. Its member is known as peer.
func newEtcd(t *testing.T, folder, peer string) *etcd {
	t.Helper()
	e := &etcd{url: address(t)}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, kube.Program(t, "etcd"), "--name", "a", "--data-dir", folder, "--unsafe-no-fsync",
		"--listen-client-urls", e.url, "--advertise-client-urls", e.url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "a="+peer)
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := false
	e.stop = func() {
		cancel()
		if !ended {
			_ = cmd.Wait()
		}
		ended = true
	}
	t.Cleanup(e.stop)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := e.ask("kv/range", map[string]string{"key": "YQ=="}); err == nil {
			return e
		} else if time.Now().After(deadline) {
			t.Fatal("etcd does not answer after a minute")
		}
	}
}

// address is a free one of this machine.
func address(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("http://127.0.0.1:%d", need.Port(t))
}

// ask sends a request.
func (e *etcd) ask(path string, question any) (map[string]any, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: 10 * time.Second}
	reply, err := client.Post(e.url+"/v3/"+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	var answer map[string]any
	err = json.NewDecoder(reply.Body).Decode(&answer)
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %v", reply.Status, answer)
	}
	return answer, err
}

func (e *etcd) put(t *testing.T, key, value string) {
	t.Helper()
	if _, err := e.ask("kv/put", map[string][]byte{"key": []byte(key), "value": []byte(value)}); err != nil {
		t.Fatal(err)
	}
}

// count is how many keys begin with a letter.
func (e *etcd) count(t *testing.T, letter byte) string {
	t.Helper()
	answer, err := e.ask("kv/range", map[string][]byte{"key": {letter}, "range_end": {letter + 1}})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := answer["count"].(string)
	return n
}

// keys makes a pair of keys: the text of the private one, and the public one.
func keys(t *testing.T) (secret.Value, string) {
	t.Helper()
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return secret.Value(text), public
}

func (e *etcd) task(file, public string) *backup.Task {
	made := backup.Kind().New().(*backup.Task)
	made.Endpoint, made.File, made.Recipients, made.Program = e.url, file, []string{public}, "v1"
	made.Owner, made.Instance = "k8s", "2e"
	made.About, made.Texts = map[string]string{"kubernetes": "v1.34.4"}, map[string]secret.Value{"pki/sa.key": "the key of service accounts"}
	return made
}

func TestABackupOfARealEtcdIsRestoredByEtcdutl(t *testing.T) {
	t.Parallel()
	etcdutl := kube.Program(t, "etcdutl")
	e, h, folder := newEtcd(t, filepath.Join(t.TempDir(), "data"), address(t)), moduletest.LocalHost(t, "k8s"), t.TempDir()
	value := strings.Repeat("0123456789", 5000)
	for i := range 200 {
		e.put(t, fmt.Sprintf("a%d", i), value)
	}
	private, public := keys(t)
	file := filepath.Join(folder, "k8s.backup")
	moduletest.WantTexts(t, e.task(file, public), h, "back up the etcd of localhost and 1 texts to "+file)
	moduletest.Do(t, e.task(file, public), h)
	e.put(t, "b", "later")
	if got, want := moduletest.Planned(t.Context(), e.task(file, public), h), file+" exists: name another file, or replace it by overwrite (kinit backup --overwrite)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	opened, err := secretfile.ParseKeys("key", private)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backupfile.Read(file, opened)
	if err != nil {
		t.Fatal(err)
	}
	if b.Owner != "k8s" || b.Instance != "2e" || b.Program != "v1" || b.About["kubernetes"] != "v1.34.4" || b.Texts["pki/sa.key"] != "the key of service accounts" || len(b.ID) != 32 {
		t.Errorf("manifest %+v", b.Manifest)
	}

	part := backup.PartKind().New().(*backup.PartTask)
	part.File, part.Part, part.Identities, part.Dest = file, "etcd.db", private, h.Path("restore", "etcd.db")
	for _, p := range b.Parts {
		if p.Name == "etcd.db" {
			part.SHA256 = p.SHA256
		}
	}
	moduletest.Settle(t, part, h)
	data, peer := filepath.Join(t.TempDir(), "restored"), address(t)
	out, err := exec.CommandContext(t.Context(), etcdutl, "snapshot", "restore", part.Dest, "--data-dir", data, "--name", "a",
		"--initial-cluster", "a="+peer, "--initial-advertise-peer-urls", peer, "--bump-revision", "1000000000", "--mark-compacted").CombinedOutput()
	if err != nil {
		t.Fatalf("etcdutl: %v\n%s", err, out)
	}
	restored := newEtcd(t, data, peer)
	if got := restored.count(t, 'a'); got != "200" {
		t.Errorf("%s of 200 keys are there", got)
	}
	if got := restored.count(t, 'b'); got != "" && got != "0" {
		t.Error("a key is there that was written later")
	}
}

func TestTheBackupIsLeftOutIfEtcdEndsWhileItIsRead(t *testing.T) {
	t.Parallel()
	h, folder := moduletest.LocalHost(t, "k8s"), t.TempDir()
	_, public := keys(t)
	e := &etcd{url: address(t)}
	got := moduletest.Planned(t.Context(), e.task(filepath.Join(folder, "x"), public), h)
	if !strings.HasPrefix(got, "ask etcd for its state: ") {
		t.Errorf("%s", got)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestMistakesOfBackups(t *testing.T) {
	t.Parallel()
	_, public := keys(t)
	e := &etcd{url: "https://127.0.0.1:2379"}
	made := e.task("x", "age1")
	moduletest.Refused(t, made, `recipients: "age1" is no public key such as age1…`)
	made.Recipients = nil
	moduletest.Refused(t, made, "recipients: give at least one public key to encrypt for")
	made.Recipients, made.Passphrase = []string{public}, "x"
	moduletest.Refused(t, made, "recipients: give public keys or a passphrase, not both")
	e.url = "127.0.0.1"
	moduletest.Refused(t, e.task("x", public), `endpoint is "127.0.0.1", expected a URL such as "https://127.0.0.1:2379"`)
	part := backup.PartKind().New().(*backup.PartTask)
	part.File, part.Part, part.Dest = "x", "etcd.db", "/srv/etcd.db"
	moduletest.Refused(t, part, `sha256 is "", expected 64 digits in hex`)
	part.SHA256 = strings.Repeat("0", 64)
	moduletest.Refused(t, part, "expected identities or a passphrase, and not both")
}

func TestForeignFileIsNotReplacedByAPart(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	part := backup.PartKind().New().(*backup.PartTask)
	part.File, part.Part, part.Dest, part.SHA256 = "k8s.backup", "etcd.db", h.Path("etcd.db"), strings.Repeat("0", 64)
	if err := os.WriteFile(part.Dest, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := part.Dest + " exists and is not owned by cluster k8s: remove it yourself if nothing needs it"
	if got := moduletest.Planned(t.Context(), part, h); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAPartThatIsDamagedIsNotOnTheHost(t *testing.T) {
	t.Parallel()
	h, file := moduletest.LocalHost(t, "k8s"), filepath.Join(t.TempDir(), "k8s.backup")
	private, public := keys(t)
	err := backupfile.Write(file, false, secretfile.Readers{Public: []string{public}}, func(w *backupfile.Writer) (backupfile.Manifest, error) {
		return backupfile.Manifest{ID: "1", Owner: "k8s"}, w.Text("etcd.db", "data")
	})
	if err != nil {
		t.Fatal(err)
	}
	part := backup.PartKind().New().(*backup.PartTask)
	part.File, part.Part, part.Identities, part.Dest, part.SHA256 = file, "etcd.db", private, h.Path("etcd.db"), strings.Repeat("0", 64)
	steps, err := part.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "the part etcd.db is not as its manifest says") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(h.Path(".")); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
