// Package winimage is the module "windows_image": a disk image of Windows that is
// installed once, sealed by Sysprep, and then read-only: guests start from images on top
// of it.
//
// The hypervisor does all of it, in a domain without a network: the installation
// reads its answers from a CD, seals itself and turns itself off. No connection
// is needed, and no manual change can be forgotten.
package winimage

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/virt"
)

// Task is a sealed disk image of Windows Server, installed from its medium in a temporary
// domain. An existing image is never recreated, even if the
// arguments change: use another path for another system. An interrupted installation
// continues, unless its domain was stopped or it failed: then it starts again. A sweep leaves an image on which
// disks are based.
//
// Errors:
//   - the medium, the drivers or the MSI is not on the host
//   - the guest did not turn itself off within the time; the error has the last state, and
//     the path on the host of a picture of its screen
//   - the guest's script failed; the error has its message
//   - a domain or a file of the installation exists and the cluster does not own it
type Task struct {
	// Path is the absolute path of the image, in qcow2. Its folder must exist.
	Path string `hcl:"path"`
	module.Presence
	// Installer is the path, on the host, of the ISO of Windows Server. Needed unless
	// absent.
	Installer string `hcl:"installer,optional"`
	// Drivers is the path, on the host, of the ISO of virtio-win. Needed unless absent.
	Drivers string `hcl:"drivers,optional"`
	// Edition is virtio-win's folder with the system's drivers: "2k19", "2k22" or "2k25".
	Edition string `hcl:"edition,optional" default:"2k22"`
	// ImageName is the name of the image on the medium. Default "Windows Server 2022
	// SERVERDATACENTERCORE", with the year of the edition.
	ImageName string `hcl:"image_name,optional"`
	// ImageIndex is the image's number, from 1, instead of its name.
	ImageIndex int `hcl:"image_index,optional"`
	// ProductKey is the key of the medium. Default: none, for evaluation media.
	ProductKey secret.Value `hcl:"product_key,optional"`
	// Locale is the language, such as "en-US", which the medium must have.
	Locale string `hcl:"locale,optional" default:"en-US"`
	// TimeZone is a Windows time zone name.
	TimeZone string `hcl:"time_zone,optional" default:"UTC"`
	// OpenSSH is the path, on the host, of the MSI of OpenSSH's server. Default: none.
	OpenSSH string `hcl:"openssh,optional"`
	// Shrink removes components that updates on the medium have superseded, which takes
	// minutes.
	Shrink bool `hcl:"shrink,optional"`
	// Size is the disk's size. Images on top can be larger.
	Size string `hcl:"size,optional" default:"40GiB"`
	// VCPUs is the number of processors of the installation.
	VCPUs int `hcl:"vcpus,optional" default:"4"`
	// Memory is the memory of the installation.
	Memory string `hcl:"memory,optional" default:"4GiB"`
	// VirtType is "kvm", or "qemu" for a host whose processor is emulated, where an
	// installation takes many hours.
	VirtType string `hcl:"virt_type,optional" default:"kvm"`
	// Firmware is "uefi" or "bios". Guests on top of the image need the same.
	Firmware string `hcl:"firmware,optional" default:"uefi"`
	// Domain is the name of the temporary domain, and of its disk and CD in the image's folder
	// during the installation. Default: derived from the path
	// and the cluster.
	Domain string `hcl:"domain,optional"`
	// Within is how long the installation can take.
	Within string `hcl:"within,optional" default:"3h"`
	// Pictures is the folder on the host for pictures of the screen.
	Pictures string `hcl:"pictures,optional" default:"/var/lib/kinit/pictures"`
	// Keep leaves the image on the host at cleanup unless everything is purged.
	Keep bool `hcl:"keep,optional"`

	open  virt.Opener
	every time.Duration // between looks; 0 for the default
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "windows_image", New: func() module.Task { return newTask(virt.Open) }})
}

func newTask(open virt.Opener) *Task { return module.SetDefaults(&Task{open: open}) }

// mark is the image's mark in the owner's manifest. It is not a guest's volume: other
// clusters' guests can use it.
func (t *Task) mark() module.Mark {
	return module.Mark{Kind: hostfile.FileKind, ID: t.Path, Keep: t.Keep}
}

func (t *Task) domain(h module.Host) string {
	if t.Domain != "" {
		return t.Domain
	}
	return fmt.Sprintf("kinit-image-%.4x", sha256.Sum256([]byte(h.Owner()+"\x00"+t.Path)))
}

// The disk and the CD of the installation are in the image's folder, so that the disk
// can become the image without being copied.
func (t *Task) disk(h module.Host) string { return path.Join(path.Dir(t.Path), t.domain(h)+".qcow2") }
func (t *Task) seed(h module.Host) string {
	return path.Join(path.Dir(t.Path), t.domain(h)+"-seed.iso")
}

func (t *Task) guest(h module.Host) guestwatch.Guest {
	return guestwatch.Guest{
		Domain: t.domain(h), Disk: t.disk(h), Open: t.open,
		BootKey: t.Firmware == "uefi", Pictures: t.Pictures, Every: t.every,
	}
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	there, err := hostfile.Exists(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent() && there:
		return module.OneStep("remove image "+t.Path, t.remove), mayRemove(ctx, h, t.Path, hostfile.FileKind)
	case t.Absent() || there:
		return nil, nil
	}
	text := fmt.Sprintf("install %s from %s and seal it as %s", t.media().Title(), t.Installer, t.Path)
	return module.OneStep(text, t.make), nil
}

type Outputs struct {
	Path string `cty:"path"` // the image
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Path}, nil
}
