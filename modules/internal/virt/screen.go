package virt

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"slices"

	"libvirt.org/go/libvirt"

	"kinit/modules/internal/ppm"
)

// KeyUp is the arrow key's code of Linux's input-event-codes.h. It is a key that presses
// no button, wherever it arrives.
const KeyUp = 103

// holdTime is how long a key is held down, in milliseconds.
const holdTime = 100

// PressKey presses a key of a running domain's keyboard.
func (c *Conn) PressKey(ctx context.Context, name string, key uint) error {
	return c.must(ctx, "press a key of domain "+name, name, func(lv *libvirt.Domain) error {
		return lv.SendKey(uint(libvirt.KEYCODE_SET_LINUX), holdTime, []uint{key}, 0)
	})
}

// Screenshot is a picture of a running domain's screen, as PNG.
func (c *Conn) Screenshot(ctx context.Context, name string) ([]byte, error) {
	var raw bytes.Buffer
	var kind string
	err := c.must(ctx, "take a picture of the screen of domain "+name, name, func(lv *libvirt.Domain) error {
		stream, err := c.lv.NewStream(0)
		if err != nil {
			return err
		}
		defer stream.Free()
		if kind, err = lv.Screenshot(stream, 0, 0); err != nil {
			return err
		}
		write := func(_ *libvirt.Stream, data []byte) (int, error) { return raw.Write(data) }
		if err := stream.RecvAll(write); err != nil {
			return err
		}
		return stream.Finish()
	})
	if err != nil || kind == "image/png" {
		return raw.Bytes(), err
	}
	return toPNG(kind, raw.Bytes())
}

// toPNG converts what QEMU makes.
func toPNG(kind string, raw []byte) ([]byte, error) {
	if kind != "image/x-portable-pixmap" {
		return nil, fmt.Errorf("libvirt took a picture of the unknown kind %q", kind)
	}
	picture, err := ppm.Decode(raw)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}

// Eject takes discs out of a domain's drives, now and for its next start, even where the
// guest has locked the drive. Paths that are in no drive are no error.
func (c *Conn) Eject(ctx context.Context, name string, paths []string) error {
	return c.must(ctx, "take CDs out of domain "+name, name, func(lv *libvirt.Domain) error {
		active, err := lv.IsActive()
		if err != nil {
			return err
		}
		flags := libvirt.DOMAIN_DEVICE_MODIFY_CONFIG
		if active {
			flags |= libvirt.DOMAIN_DEVICE_MODIFY_LIVE | libvirt.DOMAIN_DEVICE_MODIFY_FORCE
		}
		return eject(lv, paths, flags)
	})
}

func eject(lv *libvirt.Domain, paths []string, flags libvirt.DomainDeviceModifyFlags) error {
	lasting, err := describe(lv, libvirt.DOMAIN_XML_INACTIVE)
	if err != nil || lasting.Devices == nil {
		return err
	}
	for _, disk := range lasting.Devices.Disks {
		if !isDisc(disk) || !slices.Contains(paths, disk.Source.File.File) {
			continue
		}
		disk.Source = nil
		text, err := disk.Marshal()
		if err != nil {
			return err
		}
		if err := lv.UpdateDeviceFlags(text, flags); err != nil {
			return err
		}
	}
	return nil
}
