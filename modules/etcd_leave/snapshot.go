package etcdleave

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// SnapshotTask is a file with all that an etcd knows, as "etcdctl snapshot save" writes it, with mode 0600. It comes from
// the host's own member, and its checksum is verified. The task makes the file anew each time.
//
// Errors:
//   - the member does not answer, or the snapshot is not complete
type SnapshotTask struct {
	// Path is the file on the host. Missing folders are made.
	Path string `hcl:"path" path:"absolute"`
	// Endpoint is the URL of the host's own member.
	Endpoint string `hcl:"endpoint,optional" default:"https://127.0.0.1:2379"`
	// CACert is the path of the authority's certificate on the host. With an endpoint of http it is not read.
	CACert string `hcl:"ca_cert,optional" default:"/etc/kubernetes/pki/etcd/ca.crt" path:"absolute"`
	// Cert is the path of the client's certificate on the host.
	Cert string `hcl:"cert,optional" default:"/etc/kubernetes/pki/apiserver-etcd-client.crt" path:"absolute"`
	// Key is the path of the client's key on the host.
	Key string `hcl:"key,optional" default:"/etc/kubernetes/pki/apiserver-etcd-client.key" path:"absolute"`
}

func SnapshotKind() module.Kind {
	return module.With[SnapshotTask, SnapshotOutputs](module.Kind{Name: "etcd_snapshot"})
}

func (t *SnapshotTask) Validate() error {
	if at, err := url.Parse(t.Endpoint); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("endpoint is %q, expected a URL such as \"https://127.0.0.1:2379\"", t.Endpoint)
	}
	return nil
}

// Unverifiable reports that no look shows whether another snapshot is needed.
func (t *SnapshotTask) Unverifiable() bool { return true }

func (t *SnapshotTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return module.OneStep("save a snapshot of etcd in "+t.Path, t.save), ctx.Err()
}

type SnapshotOutputs struct {
	Path string `cty:"path"` // the file
}

func (t *SnapshotTask) Outputs(ctx context.Context, _ module.Host) (SnapshotOutputs, error) {
	return SnapshotOutputs{Path: t.Path}, ctx.Err()
}

// save replaces the file when all of the snapshot has arrived.
func (t *SnapshotTask) save(ctx context.Context, h module.Host) error {
	c, err := (&Task{Endpoint: t.Endpoint, CACert: t.CACert, Cert: t.Cert, Key: t.Key}).client(ctx, h)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Endpoint+"/v3/maintenance/snapshot", bytes.NewReader([]byte("{}")))
	if err != nil {
		return err
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask etcd for a snapshot: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("ask etcd for a snapshot: it answers %s", reply.Status)
	}
	if err := t.own(ctx, h); err != nil {
		return err
	}
	blobs := &snapshot{parts: json.NewDecoder(reply.Body), sum: sha256.New()}
	if err := h.Files().Write(ctx, t.Path, blobs, module.Attr{Mode: 0o600}); err != nil {
		return fmt.Errorf("save a snapshot of etcd in %s: %w", t.Path, err)
	}
	h.Report(event.Progress{Text: fmt.Sprintf("%d bytes", blobs.size)})
	return nil
}

// own marks the file before it is made.
func (t *SnapshotTask) own(ctx context.Context, h module.Host) error {
	there, err := hostfile.Exists(ctx, h, t.Path)
	if err == nil && there {
		err = ownership.Free(ctx, h, t.Path, "move it away, or use another path")
	}
	if err == nil {
		err = hostfile.Parents(ctx, h, t.Path)
	}
	if err != nil {
		return err
	}
	return h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: t.Path})
}

// snapshot reads the parts of a snapshot. After its data comes their checksum, which is part of the file.
type snapshot struct {
	parts *json.Decoder
	left  []byte // of the part that is being read
	last  []byte // up to the size of a checksum, which may be it
	sum   hash.Hash
	size  int64
}

// Read ends without an error only if the checksum fits.
func (s *snapshot) Read(p []byte) (int, error) {
	for len(s.left) == 0 {
		var part struct {
			Result struct{ Blob []byte }
			Error  *struct{ Message string }
		}
		switch err := s.parts.Decode(&part); {
		case errors.Is(err, io.EOF):
			return 0, s.verify()
		case err != nil:
			return 0, err
		case part.Error != nil:
			return 0, errors.New(part.Error.Message)
		}
		s.left = part.Result.Blob
		s.add(s.left)
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// add keeps back what may be the checksum.
func (s *snapshot) add(blob []byte) {
	s.size += int64(len(blob))
	s.last = append(s.last, blob...)
	if data := len(s.last) - sha256.Size; data > 0 {
		s.sum.Write(s.last[:data])
		s.last = bytes.Clone(s.last[data:])
	}
}

func (s *snapshot) verify() error {
	if s.size <= sha256.Size || !bytes.Equal(s.sum.Sum(nil), s.last) {
		return fmt.Errorf("the snapshot is not complete: its checksum does not fit %d bytes", s.size)
	}
	return io.EOF
}
