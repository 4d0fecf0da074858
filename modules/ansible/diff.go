package ansible

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
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

// changes reads the module's diff: one entry, or a list of them.
func changes(diff json.RawMessage) []change {
	if one := (change{}); json.Unmarshal(diff, &one) == nil {
		return []change{one}
	}
	var all []change
	_ = json.Unmarshal(diff, &all)
	return all
}

// diff returns the module's diff for people, or "".
func (r *result) diff() string {
	var texts []string
	for _, c := range r.changes {
		if text := c.text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// conceal removes from a result what must not be shown of its diff: everything if a secret has
// several lines, of which the run masks only long ones, else contents of files that only their
// owners can read.
func (t *Task) conceal(ctx context.Context, h module.Host, s sent, r *result) {
	kept := slices.DeleteFunc(slices.Clone(r.changes), func(c change) bool {
		return t.hasLines() || c.isText() && (privateMode(s.args["mode"]) || private(ctx, h, c.path()))
	})
	if len(kept) < len(r.changes) {
		r.changes = kept
		delete(r.all, "diff")
	}
}

// hasLines reports whether a secret argument has several lines.
func (t *Task) hasLines() bool {
	for _, value := range t.SecretArgs {
		if strings.Contains(strings.TrimSpace(value.Reveal()), "\n") {
			return true
		}
	}
	return false
}

// privateMode reports whether a file that gets a mode cannot be read by others than its owner. Of
// a mode in letters that is not known.
func privateMode(mode json.RawMessage) bool {
	text, bits := "", uint64(0)
	switch {
	case len(mode) == 0:
		return false
	case json.Unmarshal(mode, &bits) == nil:
	case json.Unmarshal(mode, &text) == nil && (text == "" || text == "preserve"):
		return false
	default:
		var err error
		if bits, err = strconv.ParseUint(text, 8, 16); err != nil {
			return true
		}
	}
	return bits&0o044 == 0
}

// private reports whether a file of the host cannot be read by others than its owner.
func private(ctx context.Context, h module.Host, path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	_, info, err := hostfile.Follow(ctx, h, path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return info.Mode.IsRegular() && info.Mode.Perm()&0o044 == 0
}

// isText reports whether the change is one of a text, and not one of attributes.
func (c change) isText() bool {
	text := ""
	return c.Prepared != "" || json.Unmarshal(c.Before, &text) == nil || json.Unmarshal(c.After, &text) == nil
}

// path returns the name that the module has for what it changes, often the path of a file.
func (c change) path() string {
	return strings.TrimSuffix(cmp.Or(c.AfterHeader, c.BeforeHeader), " (content)")
}

func (c change) text() string {
	if c.Prepared != "" {
		return strings.TrimRight(c.Prepared, "\n")
	}
	return content.Diff(cmp.Or(c.path(), "what the module manages"), lines(c.Before), lines(c.After))
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
