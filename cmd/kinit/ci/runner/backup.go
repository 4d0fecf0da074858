package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"kinit/cmd/kinit/backups"
	"kinit/cmd/kinit/ci/result"
	"kinit/engine/secretfile"
)

// backUp backs a cluster up that exists, and then removes the oldest backups. Nothing is deployed, and nothing
// is removed from the hosts.
func (e *execution) backUp(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.job.Timeout, errTimeout)
	defer cancel()
	b := e.job.Backup
	if err := os.MkdirAll(b.Folder, 0o700); err != nil {
		e.failure = e.unkept(err)
		return
	}
	o := e.options
	file := backups.File(b.Folder, e.job.Name, e.Now())
	backups.Backup{File: file, Readers: secretfile.Readers{Public: b.Recipients}, Program: e.Program}.Set(&o)
	done := e.phase(ctx, result.Backup, n, o)
	if !e.went(ctx, done) {
		return
	}
	e.deploy = done
	if err := backups.Prune(b.Folder, e.job.Name, filepath.Base(file), b.Keep); err != nil {
		e.failure = e.unkept(err)
	}
}

// unkept is the failure of a folder of backups that cannot be used.
func (e *execution) unkept(err error) *failure {
	return &failure{verdict: result.Infrastructure, phase: result.Backup, problem: signed(result.Problem{
		Summary: "Folder of backups", Detail: fmt.Sprintf("The folder %s cannot be used: %v.", e.job.Backup.Folder, err),
	})}
}
