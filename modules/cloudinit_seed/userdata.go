package seed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/iso"
)

// object is a cloud-init document. It is written as JSON, which is also YAML, with sorted
// keys.
type object = map[string]any

// image builds the seed: the label and the file names are defined by NoCloud
// (cloudinit.readthedocs.io, data source NoCloud).
func (t *Task) image() ([]byte, error) {
	user, err := t.userData()
	if err != nil {
		return nil, err
	}
	docs := map[string]any{"meta-data": t.metaData(), "user-data": user}
	if len(t.Networks) > 0 {
		docs["network-config"] = t.networkConfig()
	}
	var files []iso.File
	for name, doc := range docs {
		content, err := encode(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "user-data" {
			content = append([]byte("#cloud-config\n"), content...)
		}
		files = append(files, iso.File{Name: name, Content: content})
	}
	return iso.Image("cidata", files)
}

// encode writes a document so that people can read it in the guest.
func encode(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	return b.Bytes(), err
}

func (t *Task) metaData() object {
	return object{"instance-id": cmp.Or(t.InstanceID, t.Hostname), "local-hostname": t.Hostname}
}

// userData is the cloud-config with the extra keys.
func (t *Task) userData() (any, error) {
	doc := object{"hostname": t.Hostname, "ssh_pwauth": false, "disable_root": !t.AllowRoot}
	set(doc, "fqdn", t.FQDN)
	set(doc, "timezone", t.Timezone)
	list(doc, "ssh_authorized_keys", t.AuthorizedKeys)
	list(doc, "packages", t.Packages)
	if len(t.Packages) > 0 {
		doc["package_update"] = true
	}
	list(doc, "runcmd", t.RunCmd)
	if t.HostKey != nil {
		doc["ssh_deletekeys"] = true
		doc["ssh_keys"] = object{
			// OpenSSH refuses a private key without a line end.
			"ed25519_private": strings.TrimSpace(t.HostKey.Private.Reveal()) + "\n",
			"ed25519_public":  strings.TrimSpace(t.HostKey.Public),
		}
	}
	list(doc, "users", lists.Map(t.Users, User.doc))
	list(doc, "write_files", lists.Map(t.WriteFiles, WriteFile.doc))
	extra, err := t.extra()
	if err != nil || extra == nil {
		return doc, err
	}
	plain, err := plainJSON(doc)
	return merge(plain, extra), err
}

func (u User) doc() object {
	doc := object{"name": u.Name, "lock_passwd": u.HashedPassword == ""}
	set(doc, "shell", u.Shell)
	set(doc, "sudo", u.Sudo)
	set(doc, "hashed_passwd", u.HashedPassword.Reveal())
	list(doc, "groups", u.Groups)
	list(doc, "ssh_authorized_keys", u.AuthorizedKeys)
	return doc
}

func (f WriteFile) doc() object {
	doc := object{"path": f.Path, "content": f.Content.Reveal(), "permissions": "0644", "owner": "root:root"}
	set(doc, "permissions", f.Permissions)
	set(doc, "owner", f.Owner)
	return doc
}

// set adds a text that is not empty.
func set(doc object, key, value string) {
	if value != "" {
		doc[key] = value
	}
}

// list adds a list that is not empty.
func list[T any](doc object, key string, values []T) {
	if len(values) > 0 {
		doc[key] = values
	}
}
