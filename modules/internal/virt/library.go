package virt

import (
	"errors"
	"fmt"
	"strings"

	"libvirt.org/go/libvirt"
)

// CheckLibrary loads libvirt's client library into this process, which only a program that was
// built with the tag libvirt_dlopen must do, and returns ErrNoLibrary with the packages to install
// if it cannot. Later calls cost microseconds.
func CheckLibrary() error {
	_, err := libvirt.GetVersion()
	return libraryError(err)
}

// libraryError explains an error of the binding itself, which comes from no part of libvirt.
func libraryError(err error) error {
	api, ok := errors.AsType[libvirt.Error](err)
	if !ok || api.Domain != libvirt.FROM_NONE || api.Code != libvirt.ERR_INTERNAL_ERROR {
		return err
	}
	reason := ""
	// The reasons that name the library itself differ from call to call and say no more.
	if !strings.Contains(api.Message, "libvirt.so.0") {
		reason = " (" + api.Message + ")"
	}
	return fmt.Errorf("%w%s: install the package libvirt0 (Debian, Ubuntu), libvirt-libs (Fedora, RHEL, openSUSE) or libvirt (Arch Linux)",
		ErrNoLibrary, reason)
}
