package trust

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// Problem is the diagnostic for a file that the rules refuse. The subject is where it is named, or nil.
func Problem(subject *hcl.Range, err error) diag.List {
	list := diag.Errorf(subject, "File not trusted", "%s.", strings.TrimPrefix(err.Error(), ErrUntrusted.Error()+": "))
	list[0].Cause = err
	return list
}
