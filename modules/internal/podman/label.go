package podman

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"kinit/modules/internal/ownership"
)

// The labels on all objects that kinit makes.
const (
	OwnerLabel  = "kinit.owner"  // the signature of the cluster; missing without an owner
	ConfigLabel = "kinit.config" // the hash of the arguments it was made with
	StopLabel   = "kinit.stop"   // how many seconds clean-up gives the container to end by itself
)

// ImageMark is the kind of the mark of an image, which cannot have a label. The
// ID is the image's name, or its id if it lost its name.
const ImageMark = "podman_image"

// hashLength is how many hexadecimal digits of the hash are kept: 64 bits distinguish
// the configurations of one object.
const hashLength = 16

// Hash is the value of ConfigLabel for arguments.
func Hash(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic("bug in kinit: arguments of podman cannot be encoded: " + err.Error())
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:hashLength]
}

// LabelArgs returns the options that add kinit's labels to an object.
func (c Client) LabelArgs(hash string) []string {
	args := []string{"--label", ConfigLabel + "=" + hash}
	if owner := ownership.Signature(c.Host); owner != "" {
		args = append(args, "--label", OwnerLabel+"="+owner)
	}
	return args
}

// Ours reports whether the labels show that the host's owner made the object.
func (c Client) Ours(labels map[string]string) bool {
	_, made := labels[ConfigLabel]
	return made && labels[OwnerLabel] == ownership.Signature(c.Host)
}

// Foreign returns the error for an existing object of another owner.
func (c Client) Foreign(what string, labels map[string]string) error {
	advice := "remove it or use another name"
	if c.Host.Owner() == "" && labels[OwnerLabel] == "" {
		return fmt.Errorf("%s exists and was not made by kinit: %s", what, advice)
	}
	return fmt.Errorf("%s exists and is not owned by cluster %s%s: %s", what, c.Host.Owner(), ownership.Signed(c.Host, labels[OwnerLabel]), advice)
}
