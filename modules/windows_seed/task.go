// Package winseed is the module "windows_seed": the CD from which a Windows guest
// installs itself, or a copy of a sealed image configures itself.
//
// The image is made in memory and its bytes depend only on the arguments, so a
// second run finds nothing to change.
package winseed

import (
	"context"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/media"
)

// Task is the CD of a Windows guest: a small ISO from which it sets itself up. At its first
// start it enables WinRM over HTTPS and SSH, without user interaction,
// and writes a marker at the end. A file that the cluster did not make
// is never touched.
//
// Errors:
//   - the hostname is too long for Windows, or the password too simple
//   - the certificate is for another key
//   - a file for the CD is not on the host
//   - a file exists and the cluster does not own it
type Task struct {
	// Path is the absolute path of the image. Its folder must exist.
	Path string `hcl:"path"`
	module.Presence
	// Purpose is what the guest does: start from an installation medium, or from a disk on
	// top of a sealed image.
	Purpose string `hcl:"purpose,optional" enum:"install,copy" default:"copy"`
	// Hostname is the computer's name: up to 15 letters, digits and hyphens, not only digits.
	// Needed unless absent.
	Hostname string `hcl:"hostname,optional"`
	// Edition is virtio-win's folder with the system's drivers: "2k19", "2k22" or "2k25".
	Edition string `hcl:"edition,optional" default:"2k22"`
	// ImageName is the name of the image on the medium. Default "Windows Server 2022
	// SERVERDATACENTERCORE", with the year of the edition. For "install" only.
	ImageName string `hcl:"image_name,optional"`
	// ImageIndex is the image's number, from 1, instead of its name. For "install" only.
	ImageIndex int `hcl:"image_index,optional"`
	// Firmware is the guest's, which decides how a disk is partitioned. For "install" only.
	Firmware string `hcl:"firmware,optional" enum:"uefi,bios" default:"uefi"`
	// ProductKey is the key of the medium. Default: none, for evaluation media.
	// For "install" only.
	ProductKey secret.Value `hcl:"product_key,optional"`
	// Locale is the language, such as "en-US", which the medium must have. For "install"
	// only.
	Locale string `hcl:"locale,optional" default:"en-US"`
	// TimeZone is a Windows time zone name. For "install" only.
	TimeZone string `hcl:"time_zone,optional" default:"UTC"`
	// Password is the built-in administrator's password: at least 8 characters of three of the
	// classes small letters, capitals, digits and others. Needed unless absent.
	Password secret.Value `hcl:"password,optional"`
	// Certificate is the certificate of WinRM, in PEM. Needed unless absent.
	Certificate string `hcl:"certificate,optional"`
	// PrivateKey is its key, in PEM. Needed unless absent.
	PrivateKey secret.Value `hcl:"private_key,optional"`
	// AuthorizedKeys are the public SSH keys of administrators, one line of
	// authorized_keys each.
	AuthorizedKeys []string `hcl:"authorized_keys,optional"`
	// OpenSSH is the path, on the host, of the MSI of OpenSSH's server. Default: none;
	// SSH then works only if the system already has the server.
	OpenSSH string `hcl:"openssh,optional"`
	// MTU is the greatest packet in bytes. Default: the network's.
	MTU int `hcl:"mtu,optional"`
	// Marker is the path of the file that the guest writes last.
	Marker string `hcl:"marker,optional" default:"C:/ProgramData/kinit/ready.txt"`
	// HostKey is the host key of the guest's SSH server. Default: the
	// guest makes its own.
	HostKey *media.HostKey `hcl:"host_key,block"`
	// Files are further files for the guest.
	Files []File `hcl:"file,block"`
}

// File is a file that is copied to the guest. It has either content or source.
type File struct {
	// Path is the path in the guest, such as "C:/ProgramData/site/note.txt".
	Path string `hcl:"path"`
	// Content is the text.
	Content secret.Value `hcl:"content,optional"`
	// Source is the path of a file on the host.
	Source string `hcl:"source,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "windows_seed"})
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.file().Plan(ctx, h)
}

// file returns the CD as a file of the host.
func (t *Task) file() media.Image {
	return media.Image{Path: t.Path, Of: t.Hostname, Presence: t.Presence, Build: t.image}
}

type Outputs struct {
	Path   string `cty:"path"`   // the ISO
	SHA256 string `cty:"sha256"` // its checksum in hex; empty for an absent one
	Marker string `cty:"marker"` // path of the file that the guest writes when it is ready
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	sum, err := t.file().Sum(ctx, h)
	return Outputs{Path: t.Path, SHA256: sum, Marker: t.Marker}, err
}
