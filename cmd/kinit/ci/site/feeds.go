package site

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"kinit/cmd/kinit/ci/result"
)

// mostEntries is how many of the newest runs stand in feeds.
const mostEntries = 50

// entry is a run in a feed.
type entry struct {
	job   *job
	run   *result.Result
	id    string // the same for ever
	link  string
	title string
	text  string
}

func (s *site) feeds(all []*job) error {
	entries := s.entries(all)
	if err := s.write("feed.json", func(w io.Writer) error { return s.jsonFeed(w, entries) }); err != nil {
		return err
	}
	return s.write("feed.atom", func(w io.Writer) error { return s.atomFeed(w, entries) })
}

// entries are the newest runs of all jobs that have ended.
func (s *site) entries(all []*job) []entry {
	var out []entry
	for _, j := range all {
		for _, r := range j.Runs[:min(len(j.Runs), mostEntries)] {
			if r.Verdict() == result.Running {
				continue
			}
			e := entry{job: j, run: r, title: j.Address + ": " + says(r), text: j.Status.Sentence + "."}
			e.id = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Header.Job+"/"+r.ID)).String()
			e.link = s.address("jobs/" + j.Address + "/runs/" + r.ID + "/index.html")
			if r.End != nil && r.End.Error != nil {
				e.text = r.End.Error.Summary + ". " + r.End.Error.Detail
			}
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return b.run.Ended().Compare(a.run.Ended()) })
	return out[:min(len(out), mostEntries)]
}

func (s *site) address(path string) string {
	if s.BaseURL == "" {
		return path
	}
	return strings.TrimSuffix(s.BaseURL, "/") + "/" + path
}

// jsonFeed writes the feed as https://www.jsonfeed.org/version/1.1/ says. What is kinit's
// own stands in objects named _kinit.
func (s *site) jsonFeed(w io.Writer, entries []entry) error {
	type kinit struct {
		Job       string         `json:"job"`
		Status    word           `json:"status"`
		Verdict   result.Verdict `json:"verdict"`
		FailedAt  string         `json:"failed_at,omitempty"`
		Signature string         `json:"signature,omitempty"`
		Ready     float64        `json:"ready_seconds,omitempty"`
		Changed   *int           `json:"second_run_changed,omitempty"`
		Leftovers *int           `json:"leftovers,omitempty"`
		Commit    string         `json:"commit,omitempty"`
		Program   string         `json:"program"`
	}
	type item struct {
		ID        string    `json:"id"`
		URL       string    `json:"url"`
		Title     string    `json:"title"`
		Text      string    `json:"content_text"`
		Published time.Time `json:"date_published"`
		Kinit     kinit     `json:"_kinit"`
	}
	feed := struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		Home    string `json:"home_page_url,omitempty"`
		URL     string `json:"feed_url,omitempty"`
		Items   []item `json:"items"`
	}{Version: "https://jsonfeed.org/version/1.1", Title: s.title(), Items: []item{}}
	if s.BaseURL != "" {
		feed.Home, feed.URL = s.address(""), s.address("feed.json")
	}
	for _, e := range entries {
		k := kinit{Job: e.job.Address, Status: e.job.Status.Word, Verdict: e.run.Verdict(), FailedAt: e.run.FailedAt(),
			Commit: e.run.Header.Commit, Program: e.run.Header.Program, Changed: known(e.run.Changed()), Leftovers: known(e.run.Leftovers())}
		if end := e.run.End; end != nil {
			k.Ready = end.Ready.Seconds()
			if end.Error != nil {
				k.Signature = end.Error.Signature
			}
		}
		feed.Items = append(feed.Items, item{e.id, e.link, e.title, e.text, e.run.Ended().UTC(), k})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(feed)
}

func known(n int, ok bool) *int {
	if !ok {
		return nil
	}
	return &n
}

// The elements of RFC 4287.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr,omitempty"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Link    atomLink `xml:"link"`
		Summary string   `xml:"summary"`
	}
)

// atomFeed writes the feed as RFC 4287 says.
func (s *site) atomFeed(w io.Writer, entries []entry) error {
	feed := atomFeed{
		ID:    "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(s.address("feed.atom")+"\n"+s.title())).String(),
		Title: s.title(), Author: "kinit", Updated: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Links: []atomLink{{"self", s.address("feed.atom")}, {"alternate", s.address("index.html")}},
	}
	for i, e := range entries {
		at := e.run.Ended().UTC().Format(time.RFC3339)
		if i == 0 {
			feed.Updated = at
		}
		feed.Entries = append(feed.Entries, atomEntry{ID: e.id, Title: e.title, Updated: at, Link: atomLink{"alternate", e.link}, Summary: e.text})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	return errors.Join(encoder.Encode(feed), encoder.Close())
}
