// Package seed is the module "cloudinit_seed": an ISO image with the configuration that a
// guest's cloud-init reads at its first boot (the NoCloud data source).
//
// The image is made in memory and its bytes depend only on the arguments, so a
// second run finds nothing to change.
package seed

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/media"
)

// Task is a cloud-init seed: a small ISO from which a guest configures itself at its
// first boot. A file that the cluster did not make is never touched. A running guest
// keeps the seed that it started with.
//
// Errors:
//   - an argument is invalid for cloud-init; the error has the block's number and the
//     expected value
//   - a file exists and the cluster does not own it
type Task struct {
	// Path is the absolute path of the image. Its folder must exist.
	Path string `hcl:"path"`
	module.Presence
	// Hostname is the guest's name, without a domain. Needed unless absent.
	Hostname string `hcl:"hostname,optional"`
	// FQDN is the name with its domain. Default: none.
	FQDN string `hcl:"fqdn,optional"`
	// InstanceID lets cloud-init recognize a guest that it has already configured; a
	// new one makes it configure the guest again. Default: the hostname.
	InstanceID string `hcl:"instance_id,optional"`
	// AuthorizedKeys are the public SSH keys, one line of authorized_keys each, that
	// may log in as the image's default user and, with allow_root, as root.
	AuthorizedKeys []string `hcl:"authorized_keys,optional"`
	// AllowRoot lets the authorized keys log in as root.
	AllowRoot bool `hcl:"allow_root,optional"`
	// Packages are installed at the first boot, for which the guest needs access to a
	// mirror.
	Packages []string `hcl:"packages,optional"`
	// RunCmd are commands, each a list of a program and its arguments, that run at
	// the end of the first boot.
	RunCmd [][]string `hcl:"runcmd,optional"`
	// Timezone is a name such as "Europe/Madrid". Default: the image's.
	Timezone string `hcl:"timezone,optional"`
	// ExtraUserData is an object of further cloud-init keys. Lists are appended to
	// those of the other arguments, objects are merged, and other values replace
	// them.
	ExtraUserData cty.Value `hcl:"extra_user_data,optional"`
	// HostKey is the guest's SSH host key; all others are
	// deleted. Default: the guest makes its own.
	HostKey *media.HostKey `hcl:"host_key,block"`
	// Users are made in the guest, instead of the image's default user.
	Users []User `hcl:"user,block"`
	// WriteFiles are written at the first boot.
	WriteFiles []WriteFile `hcl:"write_file,block"`
	// Networks are the network cards. Default: the image decides.
	Networks []Network `hcl:"network,block"`
}

// User is a user of the guest. A password cannot be used to log in by SSH.
type User struct {
	// Name is the login name. For root, allow_root is needed as well.
	Name string `hcl:"name"`
	// Groups are the user's further groups.
	Groups []string `hcl:"groups,optional"`
	// Shell is the absolute path of the login shell. Default: the guest's.
	Shell string `hcl:"shell,optional"`
	// Sudo is a rule of sudoers, such as "ALL=(ALL) NOPASSWD:ALL". Default: none.
	Sudo string `hcl:"sudo,optional"`
	// AuthorizedKeys are the public SSH keys that may log in.
	AuthorizedKeys []string `hcl:"authorized_keys,optional"`
	// HashedPassword is a password for the console as a crypt(5) hash. Default:
	// the password is locked.
	HashedPassword secret.Value `hcl:"hashed_password,optional"`
}

// WriteFile is a file in the guest.
type WriteFile struct {
	// Path is the absolute path; missing folders are made.
	Path string `hcl:"path"`
	// Content is the text.
	Content secret.Value `hcl:"content"`
	// Permissions are the mode, such as "0600". Default "0644".
	Permissions string `hcl:"permissions,optional"`
	// Owner is user and group, such as "root:root". Default "root:root". Users of
	// this seed do not exist yet when files are written.
	Owner string `hcl:"owner,optional"`
}

// Network is one network card.
type Network struct {
	// MAC is the address that identifies the card.
	MAC string `hcl:"mac"`
	// Name is the card's name in the guest. Default "eth0" for the first,
	// "eth1" for the second, and so on.
	Name string `hcl:"name,optional"`
	// DHCP requests an IPv4 address, name servers and MTU. Default false; addresses are then
	// needed.
	DHCP bool `hcl:"dhcp,optional"`
	// MTU is the greatest packet in bytes. Default: from DHCP.
	MTU int `hcl:"mtu,optional"`
	// Addresses are fixed addresses with their prefix, such as "10.0.0.5/24".
	Addresses []string `hcl:"addresses,optional"`
	// Gateway is the IPv4 address of the default route. Default: from DHCP.
	Gateway string `hcl:"gateway,optional"`
	// Nameservers are addresses. Default: from DHCP.
	Nameservers []string `hcl:"nameservers,optional"`
	// Search are the search domains for names without a domain. Guests with
	// systemd-networkd use them only together with fixed addresses.
	Search []string `hcl:"search,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "cloudinit_seed"})
}

type Outputs struct {
	Path   string `cty:"path"`   // the ISO
	SHA256 string `cty:"sha256"` // its checksum in hex; empty for an absent one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	sum, err := t.file().Sum(ctx, h)
	return Outputs{Path: t.Path, SHA256: sum}, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.file().Plan(ctx, h)
}

// file returns the seed as a file of the host.
func (t *Task) file() media.Image {
	return media.Image{Path: t.Path, Of: t.Hostname, Presence: t.Presence, Build: func(context.Context, module.Host) ([]byte, error) {
		return t.image()
	}}
}
