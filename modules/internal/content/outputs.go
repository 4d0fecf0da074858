package content

// Outputs are the outputs of a task that makes a file.
type Outputs struct {
	Path   string `cty:"path"`   // the file
	SHA256 string `cty:"sha256"` // checksum of the content asked for, in hex; empty for an absent file
	Size   int64  `cty:"size"`   // bytes of the requested content; 0 for an absent file
}

// Outputs returns the values for a file at the path; a zero source means an absent one.
func (s Source) Outputs(path string) Outputs {
	return Outputs{Path: path, SHA256: s.SHA256, Size: s.Size}
}
