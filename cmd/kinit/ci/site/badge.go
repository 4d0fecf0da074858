package site

import (
	"fmt"
	"io"
	"text/template"
	"time"
)

// badge is a picture of two words for other people's pages. Widths are in pixels and come
// from the number of letters, because the reader's font is unknown; the text is fitted
// into them.
const badge = `<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="20" role="img" aria-label="{{html .Title}}">
<title>{{html .Title}}</title>
<rect width="{{.Left}}" height="20" rx="3" fill="#3b424a"/>
<rect x="{{.Split}}" width="{{.Right}}" height="20" rx="3" fill="{{.Colour}}"/>
<rect x="{{.Split}}" width="4" height="20" fill="{{.Colour}}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="6" y="14" textLength="{{.NameLength}}" lengthAdjust="spacingAndGlyphs">{{html .Name}}</text>
<text x="{{.TextX}}" y="14" textLength="{{.TextLength}}" lengthAdjust="spacingAndGlyphs">{{html .Text}}</text>
</g>
</svg>
`

// letter is the usual width of a letter of the badge, in pixels.
const letter = 6.6

// writeBadge writes the badge of a job. Its age is that at the time of writing, so a site
// is to be rendered now and then even when nothing was run; the title has the time itself.
func writeBadge(w io.Writer, j *job, now time.Time) error {
	last := j.Runs[0].Header.Started
	text := fmt.Sprintf("%s, %s ago", j.Status.Word, age(now.Sub(last)))
	name, right := letter*float64(len(j.Name)), letter*float64(len(text))
	page, err := template.New("badge").Parse(badge)
	if err != nil {
		return fmt.Errorf("read the badge: %w", err)
	}
	px := func(f float64) string { return fmt.Sprintf("%.0f", f) }
	return page.Execute(w, map[string]string{
		"Name": j.Name, "Text": text, "Colour": colours[j.Status.Class],
		"Title": fmt.Sprintf("%s: %s. Last run %s.", j.Name, j.Status.Sentence, last.UTC().Format("2006-01-02 15:04 UTC")),
		"Left":  px(name + 16), "Split": px(name + 12), "Right": px(right + 12), "Width": px(name + right + 24),
		"NameLength": px(name), "TextX": px(name + 18), "TextLength": px(right),
	})
}

// colours are dark enough for white text on them, by WCAG 2.2, 1.4.3.
var colours = map[string]string{"good": "#14653b", "bad": "#a1221b", "odd": "#7a4a00", "open": "#3b4a5f"}
