package render

// Outputs are the outputs of a task that makes a file from a template.
type Outputs struct {
	Path   string `cty:"path"`   // the file
	SHA256 string `cty:"sha256"` // checksum of the rendered text, in hex; empty for an absent file
	Size   int64  `cty:"size"`   // bytes of the rendered text; 0 for an absent file
}
