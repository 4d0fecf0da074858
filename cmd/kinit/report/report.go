// Package report writes a run as one self-contained HTML page: no server,
// no network, no second file.
//
// The most important parts are static HTML: the verdict, the first error with
// its lines in the playbook, stages, hosts, and the path that determined the duration. The
// tasks are JSON and become elements only on demand, so that a
// run of thousands opens at once. Texts of hosts are cleaned and only ever become
// text; a policy inside the page forbids foreign scripts, and every load.
package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"kinit/cmd/kinit/draw/topology"
	"kinit/cmd/kinit/replay"
)

//go:embed assets
var assets embed.FS

// scripts are the parts of the page's script, in order.
var scripts = []string{"dom.js", "details.js", "tasks.js", "timeline.js", "graph.js", "page.js"}

// Start is how each page begins that kinit writes.
const Start = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"kinit\">\n"

// Write writes the page of a run.
func Write(w io.Writer, r *replay.Run) error {
	style, err := asset("page.css")
	if err != nil {
		return err
	}
	style += topology.Style()
	var script strings.Builder
	for _, name := range scripts {
		part, err := asset(name)
		if err != nil {
			return err
		}
		script.WriteString(part)
	}
	page, err := template.New("page.html").Funcs(functions).ParseFS(assets, "assets/*.html")
	if err != nil {
		return fmt.Errorf("read the report's page: %w", err)
	}
	p := newPage(r)
	if cluster := r.Plan.Topology; cluster != nil {
		p.Topology = template.HTML(topology.Inline(cluster)) // which escapes all texts of the run
	}
	// Both are files of this program and contain no text of a run.
	p.Style, p.Script = template.CSS(style), template.JS(script.String())
	p.Policy = "default-src 'none'; style-src " + Hash(style) + "; script-src " + Hash(script.String())
	if err := page.ExecuteTemplate(w, "page.html", p); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// Style is the style sheet of the page, for pages with the same look.
func Style() (string, error) { return asset("page.css") }

func asset(name string) (string, error) {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", fmt.Errorf("read a part of the report's page: %w", err)
	}
	return string(content), nil
}

// Hash is a source of Content Security Policy, level 2: the text with this sum.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
