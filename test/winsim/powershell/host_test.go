package powershell_test

import (
	"bytes"
	"context"
	"io"
	"path"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/test/winsim/powershell"
	"kinit/test/winsim/powershell/interp"
)

// host is a small machine: files in memory, programs in Go, a clock that stands still
// but for sleeps.
type host struct {
	lock     sync.Mutex
	files    map[string][]byte // by path in lower case; nil is a folder
	programs map[string]func(ctx context.Context, p powershell.Process) uint32
	machine  map[string]string
	time     time.Time
	starts   int
}

func newHost() *host {
	return &host{
		files:    map[string][]byte{`c:`: nil, `c:\tmp`: nil},
		programs: map[string]func(context.Context, powershell.Process) uint32{},
		machine:  map[string]string{},
		time:     time.Date(2026, 11, 21, 15, 52, 15, 0, time.UTC),
	}
}

func (h *host) Files() interp.FileSystem        { return h }
func (h *host) Environment() interp.Environment { return (*machineVariables)(h) }
func (h *host) Clock() interp.Clock             { return (*clock)(h) }

func (h *host) Find(name, _ string, _ interp.Variables) (string, error) {
	base := strings.TrimSuffix(strings.ToLower(name[strings.LastIndexByte(name, '\\')+1:]), ".exe")
	if _, ok := h.programs[base]; ok {
		return `C:\bin\` + base + ".exe", nil
	}
	if strings.HasSuffix(name, ".ps1") {
		if _, err := h.Stat(name); err == nil {
			return name, nil
		}
	}
	return "", interp.ErrAbsent
}

func (h *host) Start(ctx context.Context, p interp.Process) (interp.Running, error) {
	h.starts++
	run := h.programs[strings.TrimSuffix(p.Path[strings.LastIndexByte(p.Path, '\\')+1:], ".exe")]
	r := &running{id: h.starts, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.code = run(ctx, p)
	}()
	return r, nil
}

type running struct {
	id   int
	done chan struct{}
	code uint32
}

func (r *running) ID() int     { return r.id }
func (r *running) Kill() error { return nil }
func (r *running) Wait(ctx context.Context) (uint32, error) {
	select {
	case <-r.done:
		return r.code, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

type machineVariables host

func (m *machineVariables) Get(target, name string) (string, bool) {
	v, ok := m.machine[target+" "+strings.ToLower(name)]
	return v, ok
}

func (m *machineVariables) Set(target, name, value string) error {
	m.machine[target+" "+strings.ToLower(name)] = value
	return nil
}

func (m *machineVariables) All(string) map[string]string { return m.machine }

type clock host

func (c *clock) Now() time.Time { return c.time }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.time = c.time.Add(d)
	return ctx.Err()
}

func key(name string) string { return strings.ToLower(strings.TrimSuffix(name, `\`)) }

func (h *host) Stat(name string) (interp.FileInfo, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	data, ok := h.files[key(name)]
	if !ok {
		if _, parent := h.files[key(folder(name))]; !parent {
			return interp.FileInfo{}, &interp.WinError{Code: interp.PathNotFound, Path: name}
		}
		return interp.FileInfo{}, &interp.WinError{Code: interp.FileNotFound, Path: name}
	}
	return interp.FileInfo{Name: name[strings.LastIndexByte(name, '\\')+1:], Path: name, Folder: data == nil, Size: int64(len(data)), Written: h.time}, nil
}

func folder(name string) string { return name[:strings.LastIndexByte(name, '\\')] }

func (h *host) List(dir string) ([]interp.FileInfo, error) {
	var all []interp.FileInfo
	for name, data := range h.files {
		if strings.HasPrefix(name, key(dir)+`\`) && !strings.Contains(name[len(key(dir))+1:], `\`) {
			all = append(all, interp.FileInfo{Name: path.Base(strings.ReplaceAll(name, `\`, "/")), Path: name, Folder: data == nil, Size: int64(len(data))})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

func (h *host) Open(name string, mode interp.OpenMode, _ interp.Access) (interp.File, error) {
	info, err := h.Stat(name)
	switch {
	case err == nil && info.Folder:
		return nil, &interp.WinError{Code: interp.AccessDenied, Path: name}
	case err == nil && mode == interp.CreateNew:
		return nil, &interp.WinError{Code: interp.FileExists, Path: name}
	case err != nil && (mode == interp.Open || mode == interp.Truncate || err.(*interp.WinError).Code == interp.PathNotFound):
		return nil, err
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if err != nil || mode == interp.Create || mode == interp.Truncate {
		h.files[key(name)] = []byte{}
	}
	f := &file{h: h, name: key(name)}
	if mode == interp.Append {
		f.at = len(h.files[f.name])
	}
	return f, nil
}

func (h *host) Mkdir(name, _ string) error {
	h.files[key(name)] = nil
	return nil
}

func (h *host) Remove(name string) error {
	delete(h.files, key(name))
	return nil
}

func (h *host) Move(from, to string, _ bool) error {
	h.files[key(to)] = h.files[key(from)]
	delete(h.files, key(from))
	return nil
}

func (h *host) SetAttributes(string, uint32) error { return nil }
func (h *host) SetWritten(string, time.Time) error { return nil }

type file struct {
	h    *host
	name string
	at   int
}

func (f *file) Read(p []byte) (int, error) {
	data := f.h.files[f.name]
	if f.at >= len(data) {
		return 0, io.EOF
	}
	n := copy(p, data[f.at:])
	f.at += n
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	f.h.files[f.name] = append(f.h.files[f.name][:f.at], p...)
	f.at += len(p)
	return len(p), nil
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		f.at = int(offset)
	case io.SeekCurrent:
		f.at += int(offset)
	case io.SeekEnd:
		f.at = len(f.h.files[f.name]) + int(offset)
	}
	return int64(f.at), nil
}

func (f *file) Truncate(size int64) error {
	f.h.files[f.name] = f.h.files[f.name][:size]
	return nil
}

func (f *file) Close() error { return nil }

// outcome is what a run left.
type outcome struct {
	code           uint32
	stdout, stderr string
	err            error
}

// run runs a script on a host.
func run(t *testing.T, h *host, job powershell.Job) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	job.Stdout, job.Stderr = &stdout, &stderr
	if job.Dir == "" {
		job.Dir = `C:\tmp`
	}
	if job.Stdin == nil {
		job.Stdin = strings.NewReader("")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, err := powershell.New(h).Run(ctx, job)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String(), err: err}
}
