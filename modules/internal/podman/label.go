package podman

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
)

// The labels on everything that kinit makes.
const (
	OwnerLabel  = "kinit.owner"  // the signature of the cluster; missing when nobody owns it
	ConfigLabel = "kinit.config" // the hash of the arguments it was made with
	StopLabel   = "kinit.stop"   // how many seconds clean-up lets the container end by itself
)

// ImageMark is the kind of the mark of an image, which can carry no label. The
// ID is the image's name, or its id for one that lost its name.
const ImageMark = "podman_image"

// hashLength is how many hexadecimal digits of the hash are kept: 64 bits tell
// the configurations of one thing apart.
const hashLength = 16

// Hash is the value of ConfigLabel for arguments.
func Hash(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic("bug in kinit: arguments of podman cannot be encoded: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:hashLength]
}

// LabelArgs are the options that put kinit's labels on a thing.
func (c Client) LabelArgs(hash string) []string {
	args := []string{"--label", ConfigLabel + "=" + hash}
	if owner := claim.Signature(c.Host); owner != "" {
		args = append(args, "--label", OwnerLabel+"="+owner)
	}
	return args
}

// Ours tells whether labels say that the host's owner made the thing.
func (c Client) Ours(labels map[string]string) bool {
	_, made := labels[ConfigLabel]
	return made && labels[OwnerLabel] == claim.Signature(c.Host)
}

// Foreign is the error of a thing that exists and is not ours.
func (c Client) Foreign(what string, labels map[string]string) error {
	advice := "remove it or use another name"
	if other := labels[OwnerLabel]; other != "" {
		who := claim.Short(other, claim.Signature(c.Host))
		return fmt.Errorf("%s exists and is not owned by cluster %s but by %s: %s", what, c.Host.Owner(), who, advice)
	}
	if c.Host.Owner() == "" {
		return fmt.Errorf("%s exists and was not made by kinit: %s", what, advice)
	}
	return fmt.Errorf("%s exists and is not owned by cluster %s: %s", what, c.Host.Owner(), advice)
}

// imageMark is the mark of an image.
func imageMark(id string, keep bool) module.Mark {
	return module.Mark{Kind: ImageMark, ID: id, Keep: keep}
}
