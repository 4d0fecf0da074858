package powershell

import (
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// Error is an error that a script threw.
type Error struct {
	Message string `json:"message"` // in the language of the host
	ID      string `json:"id"`      // PowerShell's FullyQualifiedErrorId, the same in every language
	Code    int32  `json:"code"`    // the HRESULT
	At      string `json:"at"`      // the line of the script, which contains no values
}

// clr is the upper half of the HRESULTs of the common language runtime, which
// distinguish kinds of exceptions but not causes.
const clr = 0x8013

// Error begins with PowerShell's message.
func (e *Error) Error() string {
	details := []string{}
	// A text that a script throws is also its id.
	id, _, _ := strings.Cut(e.ID, ",")
	if id = strings.TrimSpace(id); id != "" && !strings.Contains(e.Message, id) {
		details = append(details, id)
	}
	if e.Code != 0 && uint32(e.Code)>>16 != clr {
		details = append(details, fmt.Sprintf("HRESULT 0x%08X", uint32(e.Code)))
	}
	if e.At != "" {
		details = append(details, "at: "+e.At)
	}
	return strings.TrimSpace(e.Message + "\n" + strings.Join(details, ", "))
}

// redacted returns the error without secrets.
func (e *Error) redacted(h module.Host) error {
	return &Error{Message: h.Redact(strings.TrimSpace(e.Message)), ID: h.Redact(e.ID), Code: e.Code, At: h.Redact(e.At)}
}

// Code is the HRESULT of an error that a script threw, 0 for any other error.
func Code(err error) uint32 {
	var thrown *Error
	if !errors.As(err, &thrown) {
		return 0
	}
	return uint32(thrown.Code)
}
