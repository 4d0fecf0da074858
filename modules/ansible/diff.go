package ansible

import (
	"encoding/json"
	"strings"

	"kinit/modules/internal/content"
)

// change is one entry of a module's diff: two versions of a text or of an object, or a text
// that the module has prepared.
type change struct {
	Before       json.RawMessage `json:"before"`
	After        json.RawMessage `json:"after"`
	BeforeHeader string          `json:"before_header"`
	AfterHeader  string          `json:"after_header"`
	Prepared     string          `json:"prepared"`
}

// diff returns the module's diff for people, or "".
func (r *result) diff() string {
	var all []change
	if one := (change{}); json.Unmarshal(r.all["diff"], &one) == nil {
		all = append(all, one)
	} else {
		_ = json.Unmarshal(r.all["diff"], &all)
	}
	var texts []string
	for _, c := range all {
		if text := c.text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func (c change) text() string {
	if c.Prepared != "" {
		return strings.TrimRight(c.Prepared, "\n")
	}
	name := strings.TrimSuffix(c.AfterHeader, " (content)")
	if name == "" {
		name = "what the module manages"
	}
	return content.Diff(name, lines(c.Before), lines(c.After))
}

// lines returns a version for a diff: a text as it is, another value as indented JSON.
func lines(version json.RawMessage) []byte {
	text := ""
	if len(version) == 0 || json.Unmarshal(version, &text) == nil {
		return []byte(text)
	}
	var value any
	if json.Unmarshal(version, &value) != nil {
		return nil
	}
	indented, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil
	}
	return append(indented, '\n')
}
