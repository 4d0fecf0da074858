package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// table shows the expectations to people.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	count := map[verdict]int{}
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Verdict, r.ID, r.Seen)
		count[r.Verdict]++
	}
	_ = w.Flush() // a Builder takes everything
	fmt.Fprintf(&b, "%d met, %d not met, %d could not be seen\n", count[met], count[notMet], count[unseen])
	return b.String()
}

// private is a private key. kinit masks those that it knows; this is for what programs of hosts print.
var private = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)

func masked(text string) string { return private.ReplaceAllString(text, "(a private key)") }

// pack writes the archive: the verdicts, what each command printed, and the logs and reports of
// the runs. Only its owner may read it.
func (s *session) pack(results []result) (err error) {
	file, err := os.OpenFile(s.archive, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	zipped := gzip.NewWriter(file)
	archive := tar.NewWriter(zipped)
	add := func(name string, content []byte) {
		header := &tar.Header{Name: "real/" + name, Mode: 0o600, Size: int64(len(content)), ModTime: time.Now()}
		if err == nil {
			err = archive.WriteHeader(header)
		}
		if err == nil {
			_, err = archive.Write(content)
		}
	}
	summary, marshalErr := json.MarshalIndent(struct {
		Spec         string   `json:"spec"`
		Hosts        []string `json:"hosts"`
		Machine      string   `json:"machine"`
		Expectations []result `json:"expectations"`
		Steps        []*step  `json:"steps"`
	}{s.spec, s.hosts, runtime.GOOS + "/" + runtime.GOARCH, results, s.steps}, "", "  ")
	add("summary.json", []byte(masked(string(summary))))
	add("summary.txt", []byte(masked(table(results))))
	for i, one := range s.steps {
		name := fmt.Sprintf("%02d-%s", i+1, strings.ReplaceAll(one.Name, " ", "-"))
		add(name+".txt", []byte(masked("$ "+one.Command+"\n"+one.stdout.String()+one.stderr.String())))
		if len(one.log) > 0 {
			add(name+".tar.gz", one.log)
		}
	}
	return errors.Join(marshalErr, err, archive.Close(), zipped.Close())
}
