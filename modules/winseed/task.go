// Package winseed is the module "windows_seed": the CD from which a Windows guest
// installs itself, or a copy of a sealed image learns who it is.
//
// The image is made in memory and its bytes follow from the arguments, so a
// second run finds nothing to change.
package winseed

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/media"
	"kinit/modules/internal/wincd"
)

// Task is the CD of a Windows guest: a small ISO from which it sets itself up. At its first
// start it makes itself reachable by WinRM over HTTPS and by SSH, without anybody at its
// screen, and writes a marker when all of it is done. A file that the cluster did not make
// is never touched.
//
// Outputs:
//   - path: the ISO
//   - sha256: its checksum in hex; empty for an absent one
//   - marker: path of the file in the guest that is written when it is ready
//
// Errors:
//   - the hostname is longer than Windows takes, or the password too simple
//   - the certificate is for another key
//   - a file that goes on the CD is not on the host
//   - a file is there and the cluster does not own it
type Task struct {
	// Path is the absolute path of the image. Its folder must exist.
	Path string `hcl:"path"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
	// Purpose is "install", for a guest that starts from an installation medium, or
	// "copy", for one whose disk is on top of a sealed image. Default "copy".
	Purpose string `hcl:"purpose,optional"`
	// Hostname is the computer's name: up to 15 letters, digits and hyphens, not digits
	// alone. Needed unless absent.
	Hostname string `hcl:"hostname,optional"`
	// Edition is the folder that virtio-win has the system's drivers in: "2k19", "2k22"
	// or "2k25". Default "2k22".
	Edition string `hcl:"edition,optional"`
	// ImageName is the name of the image on the medium. Default "Windows Server 2022
	// SERVERDATACENTERCORE", with the year of the edition. For "install" only.
	ImageName string `hcl:"image_name,optional"`
	// ImageIndex is the image's number, from 1, instead of its name. For "install" only.
	ImageIndex int `hcl:"image_index,optional"`
	// Firmware is "uefi" or "bios", which partition a disk differently. Default "uefi".
	// For "install" only.
	Firmware string `hcl:"firmware,optional"`
	// ProductKey is the key of the medium. Default: none, as evaluation media want it.
	// For "install" only.
	ProductKey secret.Value `hcl:"product_key,optional"`
	// Locale is the language, such as "en-US", which the medium must have. Default
	// "en-US". For "install" only.
	Locale string `hcl:"locale,optional"`
	// TimeZone is a name as Windows has it. Default "UTC". For "install" only.
	TimeZone string `hcl:"time_zone,optional"`
	// Password is the built-in administrator's: at least 8 characters of three of the
	// classes small letters, capitals, digits and others. Needed unless absent.
	Password secret.Value `hcl:"password,optional"`
	// Certificate is the certificate of WinRM, in PEM. Needed unless absent.
	Certificate string `hcl:"certificate,optional"`
	// PrivateKey is its key, in PEM. Needed unless absent.
	PrivateKey secret.Value `hcl:"private_key,optional"`
	// AuthorizedKeys are the public SSH keys of administrators, one a line of
	// authorized_keys.
	AuthorizedKeys []string `hcl:"authorized_keys,optional"`
	// OpenSSH is the path, on the host, of the MSI of OpenSSH's server. Default: none,
	// and there is SSH only where the system has the server already.
	OpenSSH string `hcl:"openssh,optional"`
	// MTU is the greatest packet in bytes. Default: what the network says.
	MTU int `hcl:"mtu,optional"`
	// Marker is the path of the file in the guest that is written last. Default
	// "C:/ProgramData/kinit/ready.txt".
	Marker string `hcl:"marker,optional"`
	// HostKey is the key by which the guest's SSH server proves who it is. Default: the
	// guest makes its own.
	HostKey *HostKey `hcl:"host_key,block"`
	// Files are further files for the guest.
	Files []File `hcl:"file,block"`
}

// HostKey is an Ed25519 key pair of SSH.
type HostKey struct {
	// Private is the private key in the format of OpenSSH.
	Private secret.Value `hcl:"private"`
	// Public is the public key, such as "ssh-ed25519 AAAA…".
	Public string `hcl:"public"`
}

// File is a file that is copied to the guest. It has either content or source.
type File struct {
	// Path is where it goes, such as "C:/ProgramData/site/note.txt".
	Path string `hcl:"path"`
	// Content is the text.
	Content secret.Value `hcl:"content,optional"`
	// Source is the path of a file on the host.
	Source string `hcl:"source,optional"`
}

// Kind is the module "windows_seed".
func Kind() module.Kind {
	return module.Kind{Name: "windows_seed", New: func() module.Task {
		return &Task{
			State: "present", Purpose: "copy", Edition: "2k22", Firmware: "uefi",
			Locale: "en-US", TimeZone: "UTC", Marker: wincd.MarkerPath,
		}
	}}
}

// Plan compares the file with the image.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.State == "absent" {
		return t.file().PlanAbsent(ctx, h)
	}
	return t.file().Plan(ctx, h)
}

// file is the CD as a file of the host.
func (t *Task) file() media.Image { return media.Image{Path: t.Path, Of: t.Hostname, Build: t.image} }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "sha256": cty.String, "marker": cty.String}
}

// Outputs reads the values.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	sum, err := t.file().Sum(ctx, h)
	return map[string]cty.Value{
		"path": cty.StringVal(t.Path), "sha256": cty.StringVal(sum), "marker": cty.StringVal(t.Marker),
	}, err
}

var _ module.Outputter = (*Task)(nil)
var _ module.Validator = (*Task)(nil)
