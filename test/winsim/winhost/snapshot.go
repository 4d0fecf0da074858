package winhost

import (
	"encoding/json"
	"fmt"
	"strings"

	"kinit/test/winsim/machine/ntfs"
)

// Snapshot shows everything that a dry run must leave as it is: files, the registry,
// accounts, services, features, firewall, tasks, networks, and the owner's marks.
func (h *Host) Snapshot() string {
	var b strings.Builder
	h.tree(&b, `C:\`)
	values := []any{
		h.Accounts.Users(), h.Accounts.Groups(), h.Firewall.Rules(), h.Firewall.Profiles(), h.Network.Adapters(), h.Network.Networks(),
		h.Exclusions(), h.Tasks(), h.Boots(), h.Certificates(), h.Listeners(),
	}
	for _, name := range h.Services.Names() {
		config, err1 := h.Services.Config(name)
		status, err2 := h.Services.Status(name)
		values = append(values, config, status.State, err1, err2)
	}
	for _, v := range values {
		text, err := json.Marshal(v)
		fmt.Fprintf(&b, "%s %v\n", text, err)
	}
	h.keys(&b, "HKLM")
	h.keys(&b, "HKU")
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.marks {
		fmt.Fprintf(&b, "mark %+v\n", m)
	}
	return b.String()
}

// tree shows a folder and all in it.
func (h *Host) tree(b *strings.Builder, folder string) {
	entries, err := h.Machine.Files.List(folder)
	if err != nil {
		fmt.Fprintf(b, "%s %v\n", folder, err)
		return
	}
	for _, i := range entries {
		security, err := h.Machine.Files.Security(i.Path)
		fmt.Fprintf(b, "%s %d %v %d %q %+v %v\n", i.Path, i.Attributes, i.Modified.UnixNano(), i.Size, i.Target, security, err)
		if i.IsDir() && i.Target == "" {
			h.tree(b, i.Path)
			continue
		}
		if i.Attributes&ntfs.Directory == 0 {
			content, err := h.Machine.Files.ReadFile(i.Path)
			fmt.Fprintf(b, "%q %v\n", content, err)
		}
	}
}

// keys shows a key of the registry and all below it.
func (h *Host) keys(b *strings.Builder, path string) {
	values, err := h.Registry.Values(path)
	if err != nil {
		return
	}
	fmt.Fprintf(b, "%s %+v\n", path, values)
	names, err := h.Registry.Keys(path)
	if err != nil {
		return
	}
	for _, name := range names {
		h.keys(b, path+`\`+name)
	}
}
