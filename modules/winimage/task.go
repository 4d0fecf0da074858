// Package winimage is the module "windows_image": a disk image of Windows that is
// installed once, sealed by Sysprep, and then only read: guests start from images on top
// of it.
//
// All of it is done from the hypervisor, in a domain without a network: the installation
// answers its own questions from a CD, seals itself and turns itself off. So nothing has
// to be reached, and nothing that was done in between can be forgotten.
package winimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/virt"
)

// Task is a sealed disk image of Windows Server, installed from its medium. The domain it
// is installed in goes away when it is done. An image that is there is never made anew, whatever the
// arguments: give another system another path. An installation that was interrupted goes
// on where it is, unless its domain was stopped or it failed: then it begins anew.
//
// Outputs:
//   - path: the image
//
// Errors:
//   - the medium, the drivers or the MSI is not on the host
//   - the guest did not turn itself off within the time: with what was seen last, and
//     where on the host a picture of its screen is
//   - the guest's script failed: with what it said
//   - a domain or a file of the installation is there and the cluster does not own it
type Task struct {
	// Path is the absolute path of the image, in qcow2. Its folder must exist.
	Path string `hcl:"path"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
	// Installer is the path, on the host, of the ISO of Windows Server. Needed unless
	// absent.
	Installer string `hcl:"installer,optional"`
	// Drivers is the path, on the host, of the ISO of virtio-win. Needed unless absent.
	Drivers string `hcl:"drivers,optional"`
	// Edition is the folder that virtio-win has the system's drivers in: "2k19", "2k22"
	// or "2k25". Default "2k22".
	Edition string `hcl:"edition,optional"`
	// ImageName is the name of the image on the medium. Default "Windows Server 2022
	// SERVERDATACENTERCORE", with the year of the edition.
	ImageName string `hcl:"image_name,optional"`
	// ImageIndex is the image's number, from 1, instead of its name.
	ImageIndex int `hcl:"image_index,optional"`
	// ProductKey is the key of the medium. Default: none, as evaluation media want it.
	ProductKey secret.Value `hcl:"product_key,optional"`
	// Locale is the language, such as "en-US", which the medium must have. Default
	// "en-US".
	Locale string `hcl:"locale,optional"`
	// TimeZone is a name as Windows has it. Default "UTC".
	TimeZone string `hcl:"time_zone,optional"`
	// OpenSSH is the path, on the host, of the MSI of OpenSSH's server. Default: none.
	OpenSSH string `hcl:"openssh,optional"`
	// Shrink removes what updates on the medium have superseded, which takes minutes.
	// Default false.
	Shrink bool `hcl:"shrink,optional"`
	// Size is the disk's size. Images on top may be larger. Default "40GiB".
	Size string `hcl:"size,optional"`
	// VCPUs is the number of processors of the installation. Default 4.
	VCPUs int `hcl:"vcpus,optional"`
	// Memory is the memory of the installation. Default "4GiB".
	Memory string `hcl:"memory,optional"`
	// VirtType is "kvm", or "qemu" for a host whose processor is emulated, where an
	// installation takes many hours. Default "kvm".
	VirtType string `hcl:"virt_type,optional"`
	// Firmware is "uefi" or "bios". Guests on top of the image need the same. Default
	// "uefi".
	Firmware string `hcl:"firmware,optional"`
	// Domain is the name of the domain that installs, which also names its disk and its
	// CD in the image's folder until all is done. Default: one that follows from the path
	// and the cluster.
	Domain string `hcl:"domain,optional"`
	// Within is how long the installation may take. Default "3h".
	Within string `hcl:"within,optional"`
	// Pictures is the folder on the host that pictures of the screen are kept in. Default
	// "/var/lib/kinit/pictures".
	Pictures string `hcl:"pictures,optional"`
	// Keep lets the image stay on cleanup unless everything is purged. Default false.
	Keep bool `hcl:"keep,optional"`

	open  virt.Opener
	every time.Duration // between looks; 0 for the usual
}

// Kind is the module "windows_image".
func Kind() module.Kind {
	return module.Kind{Name: "windows_image", New: func() module.Task { return newTask(virt.Open) }}
}

func newTask(open virt.Opener) *Task {
	return &Task{
		State: "present", Edition: "2k22", Locale: "en-US", TimeZone: "UTC",
		Size: "40GiB", VCPUs: 4, Memory: "4GiB", VirtType: "kvm", Firmware: "uefi",
		Within: "3h", Pictures: "/var/lib/kinit/pictures", open: open,
	}
}

// mark is the image's in the owner's manifest. It is no volume of a guest: other
// clusters' guests may stand on it.
func (t *Task) mark() module.Mark {
	return module.Mark{Kind: hostfile.FileKind, ID: t.Path, Keep: t.Keep}
}

// domain is the name of the domain that installs.
func (t *Task) domain(h module.Host) string {
	if t.Domain != "" {
		return t.Domain
	}
	sum := sha256.Sum256([]byte(h.Owner() + "\x00" + t.Path))
	return "kinit-image-" + hex.EncodeToString(sum[:])[:8]
}

// The disk and the CD of the installation are in the image's folder, so that the disk
// can become the image without being copied.
func (t *Task) disk(h module.Host) string { return path.Join(path.Dir(t.Path), t.domain(h)+".qcow2") }
func (t *Task) seed(h module.Host) string {
	return path.Join(path.Dir(t.Path), t.domain(h)+"-seed.iso")
}

// guest is the installation as it is watched.
func (t *Task) guest(h module.Host) guestwatch.Guest {
	return guestwatch.Guest{
		Domain: t.domain(h), Disk: t.disk(h), Open: t.open,
		BootKey: t.Firmware == "uefi", Pictures: t.Pictures, Every: t.every,
	}
}

// Plan looks whether the image is there.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	there, err := hostfile.Exists(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case t.State == "absent" && there:
		return []module.Step{module.NewStep("remove image "+t.Path, t.remove)}, t.mayRemove(ctx, h)
	case t.State == "absent" || there:
		return nil, nil
	}
	text := fmt.Sprintf("install %s from %s and seal it as %s", t.media().Title(), t.Installer, t.Path)
	return []module.Step{module.NewStep(text, t.make)}, nil
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"path": cty.String} }

// Outputs returns where the image is.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"path": cty.StringVal(t.Path)}, nil
}

var _ module.Outputter = (*Task)(nil)
var _ module.Validator = (*Task)(nil)
