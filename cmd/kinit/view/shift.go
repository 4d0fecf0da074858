package view

import (
	"bytes"
	"strings"

	"github.com/apparentlymart/go-textseg/v15/textseg"
	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
)

// secretMask is what stands for a secret in a line.
const secretMask = "***"

// shiftSubjects moves the columns of what diagnostics are about to where they are in
// the lines with their secrets masked. Bytes stay those of the file itself.
func shiftSubjects(list diag.List, r *engine.Report, masked map[string]*hcl.File) {
	for i, d := range list {
		if d.Subject == nil || r.Sources[d.Subject.Filename] == nil || masked[d.Subject.Filename] == nil {
			continue
		}
		subject := *d.Subject
		before := strings.Split(string(r.Sources[subject.Filename].Bytes), "\n")
		after := strings.Split(string(masked[subject.Filename].Bytes), "\n")
		subject.Start.Column = shift(before, after, subject.Start, false)
		subject.End.Column = shift(before, after, subject.End, true)
		list[i].Subject = &subject
	}
}

// shift is where a column of a line is in the masked line. One inside of a secret is
// where its mask begins, or ends.
func shift(before, after []string, at hcl.Pos, end bool) int {
	n := at.Line - 1
	if n < 0 || n >= len(before) || n >= len(after) || before[n] == after[n] {
		return at.Column
	}
	clusters, _ := textseg.AllTokens([]byte(before[n]), textseg.ScanGraphemeClusters)
	offset := len(bytes.Join(clusters[:min(max(at.Column-1, 0), len(clusters))], nil))
	moved, ok := align(before[n], after[n], offset, end)
	if !ok {
		return at.Column
	}
	shown, _ := textseg.AllTokens([]byte(after[n][:moved]), textseg.ScanGraphemeClusters)
	return len(shown) + 1
}

// align finds the byte of a masked line that a byte of the line stands at. What is
// between masks is found in the line piece after piece.
func align(line, masked string, offset int, end bool) (int, bool) {
	in, out := 0, 0 // how far the line and the masked one are taken apart
	pieces := strings.Split(masked, secretMask)
	for i, piece := range pieces {
		if i > 0 {
			hidden := hiddenBefore(line[in:], piece, i == len(pieces)-1)
			switch {
			case hidden < 0:
				return 0, false
			case offset > in && offset < in+hidden && end:
				return out + len(secretMask), true
			case offset < in+hidden:
				return out, true
			}
			in, out = in+hidden, out+len(secretMask)
		}
		if !strings.HasPrefix(line[in:], piece) {
			return 0, false
		}
		if offset <= in+len(piece) {
			return out + offset - in, true
		}
		in, out = in+len(piece), out+len(piece)
	}
	return out, true
}

// hiddenBefore is how many bytes a mask hides before the piece that follows it, or
// below 0 when there is no such piece. The last piece ends the line.
func hiddenBefore(rest, piece string, last bool) int {
	if last {
		return len(rest) - len(piece)
	}
	least := min(len(secretMask), len(rest))
	found := strings.Index(rest[least:], piece)
	if found < 0 {
		return -1
	}
	return least + found
}
