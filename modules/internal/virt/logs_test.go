package virt_test

import (
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

func TestRemoveLogsTakesOnlyThoseOfTheDomain(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	must(t, h.Own(t.Context(), virt.LogMark("node")))
	const dir = "/var/log/libvirt/qemu/"
	gone := []string{"node.log", "node.log.0", "node-serial.log", "node-serial.log.12"}
	kept := []string{"node-1.log", "node-1-serial.log", "node.logs", "a-node.log", "node.log.old"}
	for _, name := range append(gone, kept...) {
		h.FS.Put(dir+name, "text", 0o600)
	}
	must(t, virt.RemoveLogs(t.Context(), h, "node"))
	must(t, virt.RemoveLogs(t.Context(), h, "node"))
	for _, name := range gone {
		if _, there := h.FS.Text(dir + name); there {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range kept {
		if _, there := h.FS.Text(dir + name); !there {
			t.Errorf("%s is gone", name)
		}
	}
	marks, err := h.Marks(t.Context())
	if err != nil || len(marks) != 0 {
		t.Errorf("marks: %v, %v; want none", marks, err)
	}
}
