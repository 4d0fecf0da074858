package unarchive

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/event"
	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// unpack fetches the archive, unpacks it beside the destination, moves the entries into
// place, and writes the manifest last: without it, an interrupted unpacking is done
// again.
func (t *Task) unpack(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if _, needed := t.reason(s); !needed {
		return nil
	}
	if err := t.prepare(ctx, h, &s); err != nil {
		return err
	}
	w, err := t.open(ctx, h)
	if err != nil {
		return err
	}
	err = t.unpackIn(ctx, h, s, w)
	if module.Exited(err) {
		err = errors.Join(err, t.sweepUp(ctx, h, w)) // the host answers: half an archive may fill its disk
	}
	return errors.Join(err, w.part.Close(ctx, h))
}

// sweepUp removes the leftovers of a failed unpacking.
func (t *Task) sweepUp(ctx context.Context, h module.Host, w workshop) error {
	return errors.Join(h.Files().Remove(ctx, w.parts), t.discard(ctx, h, w))
}

func (t *Task) unpackIn(ctx context.Context, h module.Host, s state, w workshop) error {
	archive, err := t.fetch(ctx, h, w)
	if err != nil {
		return err
	}
	all, err := t.extract(ctx, h, archive, w.parts)
	if err != nil {
		return err
	}
	if err := t.begin(ctx, h, s, stripped(all, t.Strip)); err != nil {
		return errors.Join(err, t.sweepUp(ctx, h, w))
	}
	if err := t.place(ctx, h, s, w, all); err != nil {
		return err
	}
	if err := t.finish(ctx, h, s, stripped(all, t.Strip)); err != nil {
		return err
	}
	for _, gone := range []string{path.Join(t.Dest, t.hidden(begunEnd)), w.parts} {
		if err := h.Files().Remove(ctx, gone); err != nil {
			return err
		}
	}
	return t.discard(ctx, h, w)
}

// prepare makes the folder, marked as the cluster's with all its content.
func (t *Task) prepare(ctx context.Context, h module.Host, s *state) error {
	if s.exists && !s.ours {
		return ownership.Foreign(h, t.Dest, "it came up after the plan")
	}
	if err := hostfile.Parents(ctx, h, t.Dest); err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: "tree", ID: t.Dest}); err != nil {
		return err
	}
	if s.exists {
		return nil
	}
	s.manifest.NewDest = true
	if err := h.Files().Mkdir(ctx, t.Dest, module.Attr{Owner: t.Owner, Group: t.Group}); err != nil {
		return err
	}
	var err error
	s.info, err = h.Files().Stat(ctx, t.Dest)
	return err
}

// extract unpacks into a separate folder and returns its content.
func (t *Task) extract(ctx context.Context, h module.Host, archive, parts string) ([]tree.Entry, error) {
	if err := h.Files().Remove(ctx, parts); err != nil {
		return nil, err
	}
	if err := h.Files().Mkdir(ctx, parts, module.Attr{Mode: 0o700}); err != nil {
		return nil, err
	}
	h.Report(event.Progress{Text: "unpack " + h.Redact(t.name())})
	c := module.Command{Argv: []string{"tar", "--extract", "--no-same-owner", "--file=" + archive, "--directory=" + parts}}
	if t.format() == "zip" {
		// The times in a zip file are local ones, so the zone must be fixed. In the locale C, unzip would write names in ASCII.
		c = module.Command{Argv: []string{"unzip", "-q", "-o", archive, "-d", parts}, Env: map[string]string{"TZ": "UTC", "LC_ALL": "C.UTF-8"}}
	}
	_, err := h.Run(ctx, c)
	if module.Exited(err, 127) {
		return nil, fmt.Errorf("%s is not installed: install it with a package task before: %w", c.Argv[0], err)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", h.Redact(t.name()), err)
	}
	all, err := tree.List(ctx, h, parts)
	if err != nil {
		return nil, err
	}
	if t.Strip > 0 && len(stripped(all, t.Strip)) == 0 {
		return nil, fmt.Errorf("strip = %d leaves nothing of %s", t.Strip, h.Redact(t.name()))
	}
	return t.choose(ctx, h, parts, all)
}

// stripped returns the entries without that many leading folders.
func stripped(entries []tree.Entry, strip int) []tree.Entry {
	var all []tree.Entry
	for _, e := range entries {
		names := strings.Split(e.Path, "/")
		if len(names) > strip {
			e.Path = strings.Join(names[strip:], "/")
			all = append(all, e)
		}
	}
	return all
}

// place copies the unpacked entries over the folder, with modes, times and links, and
// restores the folder's own mode and owner. The copy shares blocks if possible. If others
// can change the tree, the entries are moved into place one by one.
func (t *Task) place(ctx context.Context, h module.Host, s state, w workshop, all []tree.Entry) error {
	parts := w.parts
	if err := t.giveAway(ctx, h, parts); err != nil {
		return err
	}
	kept := t.kept(s, all)
	if err := tree.Remove(ctx, h, parts, kept); err != nil {
		return err
	}
	if !w.part.Beside() || tree.Shared(s.here, s.info.UID) {
		return t.placeEach(ctx, h, parts, kept)
	}
	for _, folder := range t.tops(all) {
		argv := []string{"cp", "--archive", "--remove-destination", "--reflink=auto", "--no-target-directory", "--",
			path.Join(parts, folder), t.Dest}
		if _, err := h.Run(ctx, module.Command{Argv: argv}); err != nil {
			return fmt.Errorf("put what was unpacked in place in %s: %w", t.Dest, err)
		}
	}
	return h.Files().SetAttr(ctx, t.Dest, module.Attr{Mode: s.info.Mode.Perm(), Owner: s.info.Owner, Group: s.info.Group})
}

func (t *Task) giveAway(ctx context.Context, h module.Host, parts string) error {
	if t.Owner == "" && t.Group == "" {
		return nil
	}
	owner := t.Owner
	if t.Group != "" {
		owner += ":" + t.Group
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{"chown", "--recursive", "--no-dereference", "--", owner, parts}})
	return err
}

// tops returns the folders whose content is put in place: those below the stripped ones.
func (t *Task) tops(all []tree.Entry) []string {
	if t.Strip == 0 {
		return []string{"."}
	}
	var folders []string
	for _, e := range all {
		if e.Type == "d" && strings.Count(e.Path, "/") == t.Strip-1 {
			folders = append(folders, e.Path)
		}
	}
	return folders
}

// kept returns the entries that belong to others by now.
func (t *Task) kept(s state, all []tree.Entry) []tree.Entry {
	here := byPath(s.here)
	var kept []tree.Entry
	for _, e := range all {
		for _, placed := range stripped([]tree.Entry{e}, t.Strip) {
			if _, there := here[placed.Path]; there && e.Type != "d" && matches(t.Keep, placed.Path) {
				kept = append(kept, e)
			}
		}
	}
	return kept
}

// finish removes entries that only the earlier archive had, unless their content has changed since, and writes the manifest of the
// current entries.
func (t *Task) finish(ctx context.Context, h module.Host, s state, members []tree.Entry) error {
	here, err := tree.List(ctx, h, t.Dest, ".kinit-unarchive*")
	if err != nil {
		return err
	}
	now, wanted, shared := byPath(here), byPath(members), shared(s.others)
	var gone []tree.Entry
	for _, e := range s.manifest.Unpacked {
		if _, still := wanted[e.Path]; !still && now[e.Path].Type == e.Type && sameContent(e, now[e.Path]) && len(shared[e.Path]) == 0 && !matches(t.Keep, e.Path) {
			gone = append(gone, e)
		}
	}
	if err := tree.Remove(ctx, h, t.Dest, gone); err != nil {
		return err
	}
	m := manifest{Task: t.called, Name: t.name(), SHA256: s.sum, Strip: t.Strip, Include: t.Include, Exclude: t.Exclude, Size: s.archive.Size, MTime: s.archive.MTime, NewDest: s.manifest.NewDest || madeDest(s.others)}
	before, ours := byPath(s.here), byPath(s.manifest.Unpacked)
	for _, e := range members {
		_, was := before[e.Path]
		if _, mine := ours[e.Path]; was && !mine && e.Type != "d" && matches(t.Keep, e.Path) {
			continue // it was there before the archive, so it does not go with it either
		}
		m.Unpacked = append(m.Unpacked, now[e.Path])
	}
	text, err := exactjson.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	name := t.hidden(manifestEnd)
	if err := hostfile.Write(ctx, h, path.Join(t.Dest, name), string(text)+"\n", module.Attr{Mode: 0o644}); err != nil || s.old == "" {
		return err
	}
	return h.Files().Remove(ctx, path.Join(t.Dest, s.old))
}

// verify compares the checksum of an archive on the host with the expected one.
func (t *Task) verify(ctx context.Context, h module.Host, archive string) error {
	if t.SHA256 == "" {
		return nil
	}
	sum, err := content.Sum(ctx, h, "sha256", archive)
	if err == nil && sum != strings.ToLower(t.SHA256) {
		err = t.mismatch(sum)
	}
	return err
}
