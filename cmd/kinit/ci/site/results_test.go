package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/draw/topology"
	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/engine/event"
	"kinit/test/replaytest"
)

// resultsTime is when the results are looked at.
func resultsTime() time.Time { return time.Date(2025, 3, 14, 12, 0, 0, 0, time.UTC) }

// keepResult writes the record of a run into a folder of results, in one go.
func keepResult(dir string, r *result.Result) error {
	folder := filepath.Join(dir, r.Header.Job, r.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	header := r.Header
	header.Kind, header.Version = "kinit_ci_result", result.Version
	if err := encoder.Encode(header); err != nil {
		return err
	}
	for _, p := range r.Phases {
		kind := "phase_ended"
		if p.Ended.IsZero() {
			kind = "phase_started"
		}
		if err := encoder.Encode(struct {
			Kind string `json:"kind"`
			result.Phase
		}{kind, p}); err != nil {
			return err
		}
	}
	if r.End != nil {
		if err := encoder.Encode(struct {
			Kind string `json:"kind"`
			*result.End
		}{"ended", r.End}); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "result.jsonl"), out.Bytes(), 0o600)
}

// manyResults keeps the results of so many daily jobs with so many runs each, up to resultsTime. Of every
// ten jobs five pass, and the others are flaky, fail, have failing infrastructure, died
// when they ran last, and are stale, in this order. The newest run of each job that fails has files.
func manyResults(dir string, jobs, runs int) error {
	for j := range jobs {
		kind := kinds()[j%10]
		for i := range runs {
			if err := keepResult(dir, newRun(j, i, kind)); err != nil {
				return err
			}
		}
		if kind == failing {
			if err := keepFiles(dir, newRun(j, 0, kind)); err != nil {
				return err
			}
		}
	}
	return nil
}

// kinds are how jobs do. The results of an unknown one end with a run that died.
func kinds() []word {
	return []word{passing, passing, passing, passing, passing, flaky, failing, infrastructure, unknown, stale}
}

// newRun is a run of a job; 0 is the newest.
func newRun(job, i int, k word) *result.Result {
	started := resultsTime().Add(-9*time.Hour - time.Duration(job)*time.Minute - time.Duration(i)*24*time.Hour)
	if k == stale {
		started = started.Add(-3 * 24 * time.Hour)
	}
	name := fmt.Sprintf("k8s-libvirt-%d-%d-%d", 1+job%3, 1+job%7, 1+job/21)
	r := &result.Result{ID: started.Format("20060102T150405Z") + "-1", Header: result.Header{
		Job: name + "-periodic-daily", Name: name, Spec: "specs/" + name + ".hcl", Hosts: []string{"nyctea", "tyto"},
		Schedule: "0 3 * * *", TimeZone: "UTC", Period: 24 * time.Hour, Started: started, Program: "v1.2.3",
		Commit: fmt.Sprintf("%012x", 0xabc000000000+i/3), Rerun: "kinit ci run ci.hcl --job " + name,
	}}
	verdict := result.Passed
	switch {
	case k == flaky && i%3 == 0, k == failing && i < 3, i%23 == 11:
		verdict = result.Failed
	case k == infrastructure && i < 2, i%29 == 13:
		verdict = result.Infrastructure
	case k == unknown && i == 0, i%31 == 17:
		verdict = result.Aborted
	}
	fill(r, verdict, job, i)
	return r
}

// fill adds the phases and the end.
func fill(r *result.Result, v result.Verdict, job, i int) {
	at := r.Header.Started
	phase := func(name result.PhaseName, took time.Duration, ok bool) *result.Phase {
		p := result.Phase{Name: name, Attempt: 1, Started: at, Ended: at.Add(took), OK: ok, Tasks: 184}
		at = p.Ended
		r.Phases = append(r.Phases, p)
		return &r.Phases[len(r.Phases)-1]
	}
	wobble := time.Duration((i*7+job*3)%11) * 3 * time.Second
	zero, all := 0, 130
	deploy := phase(result.Deploy, 6*time.Minute+wobble, v != result.Infrastructure)
	deploy.Changed = &all
	for n, stage := range []string{"prepare", "network", "services", "images", "nodes", "cluster", "computes", "verify"} {
		deploy.Stages = append(deploy.Stages, result.Stage{Name: stage, Duration: time.Duration(n*8)*time.Second + wobble/4})
	}
	if v == result.Aborted {
		deploy.Ended, deploy.OK = time.Time{}, false
		return
	}
	end := &result.End{Verdict: v}
	if v == result.Infrastructure {
		end.Phase, end.Stage, end.Error = result.Deploy, "prepare", &result.Problem{Summary: "Host unreachable",
			Detail: "dial tcp 192.0.2.10:22: connect: no route to host", Host: "nyctea", Signature: "0123456789ab"}
	} else {
		end.Ready = 5*time.Minute + wobble
		phase(result.Again, 47*time.Second, true).Changed = &zero
		phase(result.Verify, 2*time.Minute, v == result.Passed)
	}
	if v == result.Failed {
		end.Phase, end.Stage, end.Error = result.Verify, "verify", sampleProblem(job)
		phase(result.Evidence, 2*time.Second, true)
	}
	phase(result.Cleanup, 6*time.Second, true).Leftovers = &zero
	end.Time = at
	r.End = end
}

// sampleProblem has what must stay text in it.
func sampleProblem(job int) *result.Problem {
	p := &result.Problem{
		Summary: "Command failed", Address: `task.wait.ready["k8s-compute-01"]`, Host: "k8s-controller-01", Place: "specs/k8s/verify.hcl:20",
		Detail:  fmt.Sprintf("node k8s-compute-01 is not Ready after 5m\n</script><img src=x onerror=\"document.title='owned'\"> %d", job),
		Command: &event.Command{Line: "kubectl get node k8s-compute-01", Code: 1},
	}
	for i, line := range []string{`task "wait" "ready" {`, `  stage    = "verify"`, `  for_each = cluster.nodes`, `  expect   = "True"`, `}`} {
		p.Lines = append(p.Lines, replay.Line{Number: 19 + i, Text: line, Marked: i == 1})
	}
	p.Signature = result.Sign(*p)
	return p
}

// keepFiles puts the report and the JUnit XML of a run that failed beside its record.
func keepFiles(dir string, r *result.Result) error {
	run := replay.Of(replaytest.Failure())
	var page, cases bytes.Buffer
	if err := report.Write(&page, run); err != nil {
		return err
	}
	if err := junit.Write(&cases, run); err != nil {
		return err
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"report.html", page.Bytes()}, {"junit.xml", cases.Bytes()}, {"topology.svg", []byte(topology.SVG(replaytest.Cluster()))}} {
		sum := sha256.Sum256(f.content)
		r.End.Files = append(r.End.Files, result.File{Name: f.name, Size: int64(len(f.content)), SHA256: hex.EncodeToString(sum[:]), Clean: true})
		if err := os.WriteFile(filepath.Join(dir, r.Header.Job, r.ID, f.name), f.content, 0o600); err != nil {
			return err
		}
	}
	return keepResult(dir, r)
}
