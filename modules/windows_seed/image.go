package winseed

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pfx"
	"kinit/modules/internal/wincd"
)

// image is the CD. What lies on the host is read each time: a file that was replaced
// makes another CD.
func (t *Task) image(ctx context.Context, h module.Host) ([]byte, error) {
	node, err := t.node(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Purpose == "copy" {
		return wincd.Copy(node)
	}
	return wincd.Install(node, t.media(), wincd.Language{Locale: t.Locale, TimeZone: t.TimeZone})
}

func (t *Task) node(ctx context.Context, h module.Host) (wincd.Node, error) {
	certificate, err := pfx.Encode(t.Certificate, t.PrivateKey)
	if err != nil {
		return wincd.Node{}, fmt.Errorf("certificate and private_key: %w", err)
	}
	h.AddSecret(certificate.Password)
	n := wincd.Node{
		Hostname: t.Hostname, Edition: t.Edition, Password: t.Password, MTU: t.MTU, Marker: t.Marker,
		PFX: certificate.Content, PFXPassword: certificate.Password, AuthorizedKeys: t.AuthorizedKeys,
		HostKey: (*wincd.HostKey)(t.HostKey),
	}
	if t.OpenSSH != "" {
		if n.OpenSSH, err = hostfile.Need(ctx, h, t.OpenSSH); err != nil {
			return wincd.Node{}, fmt.Errorf("openssh: %w", err)
		}
	}
	for i, f := range t.Files {
		content, err := f.read(ctx, h)
		if err != nil {
			return wincd.Node{}, fmt.Errorf("file %d: %w", i+1, err)
		}
		n.Files = append(n.Files, wincd.File{Path: f.Path, Content: content})
	}
	return n, nil
}

func (t *Task) media() wincd.Media {
	return wincd.Media{
		Edition: t.Edition, ImageName: t.ImageName, ImageIndex: t.ImageIndex,
		UEFI: t.Firmware == "uefi", ProductKey: t.ProductKey,
	}
}

func (f File) read(ctx context.Context, h module.Host) ([]byte, error) {
	if f.Source == "" {
		return []byte(f.Content.Reveal()), nil
	}
	return hostfile.Need(ctx, h, f.Source)
}
