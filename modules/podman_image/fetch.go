package podmanimage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/podman"
)

// fetch reads again and does what is still needed, so that it can be repeated.
func (t *Task) fetch(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil || t.missing(s) == "" {
		return err
	}
	if err := t.mark(ctx, c, s); err != nil {
		return err
	}
	if t.archive() {
		err = t.load(ctx, c, s)
	} else {
		err = t.pull(ctx, c)
	}
	if err != nil || s.image == nil {
		return err
	}
	return dropOld(ctx, c, s.image.ID)
}

// mark claims the name if it was free, and the old image if it was the cluster's.
func (t *Task) mark(ctx context.Context, c podman.Client, s state) error {
	if s.image == nil {
		return c.OwnImage(ctx, t.Name, t.Keep)
	}
	return c.OwnImage(ctx, s.image.ID, false)
}

// dropOld removes the image that had the name before. If containers use it, its mark lets
// a later clean-up find it.
func dropOld(ctx context.Context, c podman.Client, id string) error {
	gone, err := c.RemoveUnnamed(ctx, id)
	if err != nil || !gone {
		return err
	}
	return c.DisownImage(ctx, id)
}

// load loads the archive and gives its image the name and no other new name.
func (t *Task) load(ctx context.Context, c podman.Client, s state) error {
	if s.content == nil {
		return fmt.Errorf("load image %s: there is no file %s", t.Name, t.Source)
	}
	if err := t.checksum(ctx, c.Host); err != nil {
		return err
	}
	extra, err := t.newTags(ctx, c, *s.content)
	if err != nil {
		return err
	}
	if _, err := c.RunLines(ctx, progress(c.Host), "load", "--input", t.Source); err != nil {
		return fmt.Errorf("load image %s: %w", t.Name, err)
	}
	if _, err := c.Run(ctx, "tag", s.content.id, t.Name); err != nil {
		return fmt.Errorf("name image %s: %w", t.Name, err)
	}
	for _, tag := range extra {
		if _, err := c.Run(ctx, "untag", s.content.id, tag); err != nil {
			return fmt.Errorf("take the name %s from image %s: %w", tag, t.Name, err)
		}
	}
	return nil
}

// newTags lists the names besides the wanted one that loading would add. It is an error if
// another image has such a name and would lose it.
func (t *Task) newTags(ctx context.Context, c podman.Client, archive contents) ([]string, error) {
	var extra []string
	for _, tag := range archive.tags {
		if tag == t.Name {
			continue
		}
		image, err := c.Image(ctx, tag)
		if err != nil {
			return nil, err
		}
		if image == nil {
			extra = append(extra, tag)
			continue
		}
		if image.ID != archive.id {
			return nil, fmt.Errorf("%s would take the name %s from another image: "+
				"write the archive with the name %s alone", t.Source, tag, t.Name)
		}
	}
	return extra, nil
}

func (t *Task) checksum(ctx context.Context, h module.Host) error {
	if t.SHA256 == "" {
		return nil
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"sha256sum", t.Source}})
	if err != nil {
		return fmt.Errorf("read the checksum of %s: %w", t.Source, err)
	}
	// A name with special characters makes sha256sum start the line with "\".
	got, _, _ := strings.Cut(strings.TrimPrefix(out.Stdout, `\`), " ")
	if got != t.SHA256 {
		return fmt.Errorf("%s has sha256 %s, expected %s: fetch it again", t.Source, got, t.SHA256)
	}
	return nil
}

// pull fetches the image from a registry and gives it only the name.
func (t *Task) pull(ctx context.Context, c podman.Client) error {
	if t.Source == "" {
		return t.download(ctx, c, t.Name)
	}
	before, err := c.Image(ctx, t.Source)
	if err != nil {
		return err
	}
	if before == nil {
		err = t.download(ctx, c, t.Source)
	}
	if err != nil {
		return err
	}
	if _, err := c.Run(ctx, "tag", t.Source, t.Name); err != nil {
		return fmt.Errorf("name image %s: %w", t.Name, err)
	}
	if before != nil {
		return nil
	}
	if _, err := c.Run(ctx, "untag", t.Source, t.Source); err != nil {
		return fmt.Errorf("take the name %s from image %s: %w", t.Source, t.Name, err)
	}
	return nil
}

// download runs podman pull, with the login in a file for that time.
func (t *Task) download(ctx context.Context, c podman.Client, source string) (err error) {
	args := []string{"pull"}
	if !t.TLSVerify { // without the flag the host's own list of registries may have exceptions
		args = append(args, "--tls-verify=false")
	}
	if t.Username != "" {
		name := loginFile(t.Name)
		// Credentials must not remain, even after an interrupt.
		defer func() { err = errors.Join(err, hostfile.Discard(ctx, c.Host, name)) }()
		if err := t.login(ctx, c.Host, name, source); err != nil {
			return err
		}
		args = append(args, "--authfile", name)
	}
	if _, err := c.RunLines(ctx, progress(c.Host), append(args, source)...); err != nil {
		return fmt.Errorf("pull image %s: %w", source, err)
	}
	return nil
}

func loginFile(image string) string { return "/run/kinit-registry-" + podman.Hash(image) + ".json" }

// login writes the credentials into podman's file, so that no argument list contains
// them.
func (t *Task) login(ctx context.Context, h module.Host, name, source string) error {
	registry, _, _ := strings.Cut(source, "/")
	auth := base64.StdEncoding.EncodeToString([]byte(t.Username + ":" + t.Password.Reveal()))
	h.AddSecret(t.Password, secret.Value(auth))
	content, err := json.Marshal(map[string]any{"auths": map[string]any{registry: map[string]string{"auth": auth}}})
	if err != nil {
		return err
	}
	if err := h.Files().Write(ctx, name, strings.NewReader(string(content)), module.Attr{Mode: 0o600}); err != nil {
		return fmt.Errorf("write the registry login: %w", err)
	}
	return nil
}

// progress reports podman's lines as progress, with a lower-case first letter.
func progress(h module.Host) func(string) {
	return func(line string) {
		if text := strings.TrimSpace(line); text != "" {
			h.Report(event.Progress{Text: strings.ToLower(text[:1]) + text[1:]})
		}
	}
}
