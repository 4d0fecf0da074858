package virt

import (
	"errors"
	"io/fs"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestRemovedVolumeLeavesNothingOfAnUploadThatWasCutOff(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	seed := "/images/guest-seed.iso"
	left := module.TemporaryName(seed)
	other := module.TemporaryName("/images/other-seed.iso")
	for _, file := range []string{seed, left, other} {
		h.FS.Put(file, "secret", 0o600)
	}
	if err := RemoveVolume(t.Context(), h, seed); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{seed, left} {
		if _, err := h.Files().Stat(t.Context(), file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left, error %v", file, err)
		}
	}
	if _, err := h.Files().Stat(t.Context(), other); err != nil {
		t.Errorf("the other's: %v", err)
	}
}
