package content

import "kinit/modules/internal/fileattr"

// Attributes is embedded in the tasks that set the content of a file of a Linux host.
type Attributes struct {
	fileattr.Want
	// Backup saves the file from before kinit as <path>.kinit-backup. On a host that belongs
	// to a cluster, cleanup and the removal of the file restore it.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that checks the new content, as in ["visudo", "-cf", "%s"]; %s is
	// the path of a temporary file. If it fails, the file is not changed.
	Accept []string `hcl:"validate,optional"`
}

// File returns the file with these attributes, without its content.
func (a Attributes) File(path string, secret bool) File {
	return File{Path: path, Want: a.Want, Backup: a.Backup, Validate: a.Accept, Secret: secret}
}

// Whole returns the file with a content. A secret one is for its owner alone.
func (a Attributes) Whole(path string, source Source, secret bool) File {
	f := a.File(path, secret)
	f.Source = source
	if secret && f.Want.Mode == "" {
		f.Want.Mode = "0600"
	}
	return f
}
