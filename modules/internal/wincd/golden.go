package wincd

import (
	"kinit/engine/secret"
	"kinit/modules/internal/iso"
	"kinit/modules/internal/unattend"
)

// Golden is a system that is installed to be copied.
type Golden struct {
	Media
	Language
	// Password is known to no one: every copy gets its own. It opens the
	// first login of the installation and of each copy.
	Password secret.Value
	OpenSSH  []byte // the MSI of OpenSSH's server, optional
	// Shrink removes components that updates have superseded, which takes minutes.
	Shrink bool
}

// sealed is the answer file that stays in the image.
func (g Golden) sealed() unattend.Sealed {
	return unattend.Sealed{
		System:     system(g.Language, g.Password, "kinit-setup.ps1"),
		Specialize: launch("kinit-specialize.ps1"),
	}
}

// Image is the CD that the system installs and seals itself from.
func (g Golden) Image() ([]byte, error) {
	// Windows makes up the name of a computer whose name is a star.
	answers, err := g.answers("*", system(g.Language, g.Password, "kinit-seal.ps1")).XML()
	if err != nil {
		return nil, err
	}
	sealed, err := g.sealed().XML()
	if err != nil {
		return nil, err
	}
	node, err := encode(nodeFile{Edition: g.Edition, Shrink: g.Shrink})
	if err != nil {
		return nil, err
	}
	files := []iso.File{
		{Name: answerName, Content: answers}, {Name: sealedName, Content: sealed}, {Name: nodeName, Content: node},
	}
	if len(g.OpenSSH) > 0 {
		files = append(files, iso.File{Name: opensshName, Content: g.OpenSSH})
	}
	return withScripts(files)
}
