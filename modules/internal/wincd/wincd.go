// Package wincd makes the CDs that Windows guests install or configure themselves from:
// answer files, scripts, and what the scripts read.
//
// A CD is found by its files and never by a drive letter: the answer file's commands look
// for their script on every drive, and the script knows the folder it is in. Drivers come
// from the medium of virtio-win itself, attached as another CD. Copying them out of it
// would need a program on the hypervisor that reads it, and Setup passes over folders
// that do not exist, so each letter a CD may get is named.
package wincd

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/secret"
	"kinit/modules/internal/iso"
	"kinit/modules/internal/unattend"
)

// label is the volume's name; nothing looks for it.
const label = "kinit"

// MarkerPath is where the marker is unless somebody wants it elsewhere.
const MarkerPath = "C:/ProgramData/kinit/ready.txt"

// Names of files on the CD that scripts know.
const (
	answerName  = "Autounattend.xml"
	sealedName  = "sealed.xml"
	nodeName    = "kinit-node.json"
	pfxName     = "winrm.pfx"
	keysName    = "authorized_keys"
	hostKeyName = "ssh_host_ed25519_key"
	opensshName = "openssh.msi"
)

//go:embed scripts/*.ps1
var scripts embed.FS

// Media is what is known of the installation medium.
type Media struct {
	Edition    string // the folder of virtio-win's drivers: "2k19", "2k22" or "2k25"
	ImageName  string // of the image to install; the default is Datacenter without a desktop
	ImageIndex int    // its number, from 1, instead of its name
	UEFI       bool
	ProductKey secret.Value // empty for evaluation media
}

// Language is what the system speaks, and its time.
type Language struct{ Locale, TimeZone string }

// Node is a guest that is to be reached.
type Node struct {
	Hostname       string
	Edition        string
	Password       secret.Value // of the built-in administrator
	MTU            int          // bytes, 0 for what the network says
	PFX            []byte       // the certificate and key of WinRM, as PKCS #12
	PFXPassword    secret.Value
	AuthorizedKeys []string
	HostKey        *HostKey
	OpenSSH        []byte // the MSI of OpenSSH's server, optional
	Marker         string // path of the file that is written last
	Files          []File
}

// HostKey is an Ed25519 key pair of SSH.
type HostKey struct {
	Private secret.Value
	Public  string
}

// File is a file that is copied to the guest.
type File struct {
	Path    string // in the guest, such as C:/ProgramData/x.txt
	Content []byte
}

// Install is the CD of a node that installs itself from a medium.
func Install(n Node, m Media, l Language) ([]byte, error) {
	answers, err := m.answers(n.Hostname, system(l, n.Password, "kinit-setup.ps1")).XML()
	if err != nil {
		return nil, err
	}
	return n.image(iso.File{Name: answerName, Content: answers})
}

// Copy is the CD of a node that starts from a sealed image. It has no answer file: the
// image has one, whose commands find the scripts on the CD.
func Copy(n Node) ([]byte, error) { return n.image() }

// image is the CD with everything of a node and some more files.
func (n Node) image(more ...iso.File) ([]byte, error) {
	node, err := n.json()
	if err != nil {
		return nil, err
	}
	files := append(more, iso.File{Name: nodeName, Content: node}, iso.File{Name: pfxName, Content: n.PFX})
	if len(n.AuthorizedKeys) > 0 {
		files = append(files, iso.File{Name: keysName, Content: lines(n.AuthorizedKeys)})
	}
	if n.HostKey != nil {
		files = append(files,
			iso.File{Name: hostKeyName, Content: lines([]string{n.HostKey.Private.Reveal()})},
			iso.File{Name: hostKeyName + ".pub", Content: lines([]string{n.HostKey.Public})})
	}
	if len(n.OpenSSH) > 0 {
		files = append(files, iso.File{Name: opensshName, Content: n.OpenSSH})
	}
	for i, f := range n.Files {
		files = append(files, iso.File{Name: fileName(i), Content: f.Content})
	}
	return withScripts(files)
}

// nodeFile is kinit-node.json, as scripts read it.
type nodeFile struct {
	Hostname    string    `json:"hostname,omitempty"`
	Edition     string    `json:"edition"`
	Password    string    `json:"password,omitempty"`
	MTU         int       `json:"mtu,omitempty"`
	PFXPassword string    `json:"pfx_password,omitempty"`
	Marker      string    `json:"marker,omitempty"`
	Files       []fileRef `json:"files,omitempty"`
	Shrink      bool      `json:"shrink,omitempty"`
}

type fileRef struct {
	Name string `json:"name"` // on the CD
	Path string `json:"path"` // in the guest
}

func (n Node) json() ([]byte, error) {
	file := nodeFile{
		Hostname: n.Hostname, Edition: n.Edition, Password: n.Password.Reveal(), MTU: n.MTU,
		PFXPassword: n.PFXPassword.Reveal(), Marker: n.Marker,
	}
	for i, f := range n.Files {
		file.Files = append(file.Files, fileRef{Name: fileName(i), Path: f.Path})
	}
	return encode(file)
}

func encode(file nodeFile) ([]byte, error) {
	text, err := json.MarshalIndent(file, "", "  ")
	return append(text, '\n'), err
}

// fileName is the name of a further file on the CD: a name of its own, whatever it is
// called in the guest.
func fileName(index int) string { return fmt.Sprintf("file-%03d", index+1) }

// withScripts is the CD of the files and all scripts.
func withScripts(files []iso.File) ([]byte, error) {
	names, err := fs.Glob(scripts, "scripts/*.ps1")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, iso.File{Name: path.Base(name), Content: text})
	}
	return iso.Image(label, files)
}

// lines ends every line, without which OpenSSH refuses a key.
func lines(texts []string) []byte {
	var all []byte
	for _, text := range texts {
		all = append(all, strings.TrimSpace(text)...)
		all = append(all, '\n')
	}
	return all
}

// answers is the answer file of the medium.
func (m Media) answers(hostname string, s unattend.System) unattend.Install {
	return unattend.Install{
		System: s, ComputerName: hostname, UEFI: m.UEFI,
		ImageName: m.imageName(), ImageIndex: m.ImageIndex, ProductKey: m.ProductKey,
		DriverPaths: driverPaths(m.Edition), OldSetup: m.Edition == "2k25",
	}
}

// letters are those that a CD may have in Windows PE and in the system.
const letters = "CDEFGHI"

// driverPaths are the folders of the drivers that Setup needs, on every drive: the two
// kinds of virtio disk and the network card.
func driverPaths(edition string) []string {
	var paths []string
	for _, driver := range []string{"viostor", "vioscsi", "NetKVM"} {
		for _, letter := range letters {
			paths = append(paths, string(letter)+`:\`+driver+`\`+edition+`\amd64`)
		}
	}
	return paths
}

// launch is a command line that finds a script on the drives and runs it. Its code is
// the script's, or 0 where no drive has it. It has to fit into 259 characters.
func launch(script string) string {
	return `powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "(Get-PSDrive -PSProvider FileSystem).Root` +
		` | ForEach-Object { $_ + '` + script + `' } | Where-Object { Test-Path $_ } | Select-Object -First 1` +
		` | ForEach-Object { & $_ }; exit $LASTEXITCODE"`
}

// system is the part of an answer file that starts a script at the first login.
func system(l Language, password secret.Value, script string) unattend.System {
	return unattend.System{Locale: l.Locale, TimeZone: l.TimeZone, Password: password, FirstLogon: launch(script)}
}
