package winimage

import (
	"context"
	"crypto/rand"
	"fmt"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/size"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/virt"
	"kinit/modules/internal/wincd"
)

func (t *Task) spec(h module.Host) (virt.Spec, error) {
	memory, err := size.Parse(t.Memory)
	if err != nil {
		return virt.Spec{}, fmt.Errorf("memory: %w", err)
	}
	cpu := "host-passthrough"
	if t.VirtType == "qemu" {
		cpu = "maximum"
	}
	return virt.Spec{
		Name: t.domain(h), Description: "installs " + t.Path, Type: t.VirtType, VCPUs: t.VCPUs, Memory: memory,
		CPU: cpu, Machine: "q35", UEFI: t.Firmware == "uefi",
		// Data that is lost when the host fails is recreated.
		Disk: t.disk(h), DiskCache: "unsafe", CDs: []string{t.Installer, t.Drivers, t.seed(h)},
		VNC: true, Windows: true,
	}, nil
}

// cd returns the CD that the system installs and seals itself from.
func (t *Task) cd(ctx context.Context, h module.Host) ([]byte, error) {
	for _, medium := range []string{t.Installer, t.Drivers} {
		there, err := hostfile.Exists(ctx, h, medium)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, hostfile.Missing(h, medium)
		}
	}
	g := wincd.Golden{
		Media:    t.media(),
		Language: wincd.Language{Locale: t.Locale, TimeZone: t.TimeZone},
		// It meets Windows' rule, is known to no one, and is useless once a copy has its own.
		Password: secret.Value("Kn1-" + rand.Text()),
		Shrink:   t.Shrink,
	}
	h.AddSecret(g.Password)
	if t.OpenSSH != "" {
		var err error
		if g.OpenSSH, err = hostfile.Need(ctx, h, t.OpenSSH); err != nil {
			return nil, fmt.Errorf("openssh: %w", err)
		}
	}
	return g.Image()
}

func (t *Task) media() wincd.Media {
	return wincd.Media{
		Edition: t.Edition, ImageName: t.ImageName, ImageIndex: t.ImageIndex,
		UEFI: t.Firmware == "uefi", ProductKey: t.ProductKey,
	}
}
