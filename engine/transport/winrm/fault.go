package winrm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/transport"
)

// Fault is a SOAP fault: the machine's WinRM service accepted the login but refused the
// operation, or could not do it.
type Fault struct {
	Step    string // the operation, such as Command
	Code    uint32 // of WSManFault: an error code of WinRM or of Windows; 0 without one
	Subcode string // such as TimedOut, without its prefix
	Text    string // in the machine's language
}

// The codes that matter here. Those that begin with 0x8033 are in WsmError.h, the
// others in WinError.h of Microsoft's SDK.
const (
	codeAccessDenied  = 5          // ERROR_ACCESS_DENIED
	codeBrokenPipe    = 109        // ERROR_BROKEN_PIPE: the process has closed its input
	codeBusy          = 170        // ERROR_BUSY: the previous Send is still being written
	codeNoData        = 232        // ERROR_NO_DATA: the pipe is being closed
	codeTimeout       = 1460       // ERROR_TIMEOUT: the process has not read its input yet
	codeNotReady      = 0x80070015 // ERROR_NOT_READY: the machine is being set up or shut down
	codeProfileUnload = 0x800703fa // ERROR_KEY_DELETED: the user's profile is being unloaded

	codeTimedOut        = 0x80338029 // the operation timeout is over: 2150858793
	codeConcurrency     = 0x80338032 // the operation is already running: 2150858802
	codeNoSelector      = 0x8033805b // there is no such shell or command: 2150858843
	codeEnvelopeSize    = 0x80338111 // the message is longer than MaxEnvelopeSizekb allows
	codeTooManyShells   = 0x803381a5 // MaxShellsPerUser: 2150859173
	codeTooManyCommands = 0x803381a6 // MaxConcurrentOperationsPerUser: 2150859174
)

// fromWindows is the prefix of an error code of Windows as an HRESULT.
const fromWindows = 0x80070000

// is reports whether the fault has one of the codes, also in the form of an HRESULT.
func (f *Fault) is(codes ...uint32) bool {
	return slices.ContainsFunc(codes, func(code uint32) bool {
		return f.Code == code || code < 1<<16 && f.Code == fromWindows|code
	})
}

func (f *Fault) Error() string {
	text := strings.Join(strings.Fields(f.Text), " ")
	return fmt.Sprintf("%s: the machine's WinRM service refuses with code %d (0x%08x): %s%s", f.Step, f.Code, f.Code, text, f.advice())
}

func (f *Fault) advice() string {
	switch {
	case f.is(codeAccessDenied):
		return " (the user must be an administrator; of other local administrators than the built-in one Windows takes the rights away " +
			"unless LocalAccountTokenFilterPolicy is 1)"
	case f.is(codeTooManyShells):
		return " (other programs have too many shells as the same user, or left them open: they end after two idle hours, " +
			"or raise MaxShellsPerUser)"
	case f.is(codeTooManyCommands):
		return " (other programs have too many operations as the same user: raise MaxConcurrentOperationsPerUser)"
	}
	return ""
}

// Unwrap returns the transport's error for faults that make a machine unusable.
func (f *Fault) Unwrap() error {
	switch {
	case f.is(codeAccessDenied):
		return transport.ErrAuth
	case f.gone(), f.passing():
		return transport.ErrUnreachable
	}
	return nil
}

// timedOut reports whether there was no output within the operation timeout.
func (f *Fault) timedOut() bool { return f.is(codeTimedOut) || f.Subcode == "TimedOut" }

// gone reports whether the shell or the command does not exist: it was deleted, or the
// machine or its WinRM service was restarted.
func (f *Fault) gone() bool { return f.is(codeNoSelector) }

// passing reports whether the machine is starting or shutting down.
func (f *Fault) passing() bool { return f.is(codeNotReady, codeProfileUnload) }

// closed reports whether the process accepts no more input.
func (f *Fault) closed() bool { return f.is(codeBrokenPipe, codeNoData) }

// tooLarge reports whether the message was too long.
func (f *Fault) tooLarge() bool { return f.is(codeEnvelopeSize) || f.Subcode == "EncodingLimit" }

func asFault(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	return nil
}

// faultBody is a fault in a message (SOAP 1.2, part 1, 5.4; [MS-WSMV] 2.2.4.43).
type faultBody struct {
	Subcode string `xml:"Code>Subcode>Value"`
	Reason  string `xml:"Reason>Text"`
	WSMan   struct {
		Code    string `xml:"Code,attr"`
		Message string `xml:",innerxml"`
	} `xml:"Detail>WSManFault"`
}

func (b *faultBody) fault(step string) *Fault {
	f := &Fault{Step: step, Text: b.Reason}
	if code, err := strconv.ParseInt(b.WSMan.Code, 10, 64); err == nil {
		f.Code = uint32(code)
	}
	f.Subcode = b.Subcode[strings.LastIndexByte(b.Subcode, ':')+1:]
	if f.Text == "" {
		f.Text = untagged(b.WSMan.Message)
	}
	return f
}

func untagged(text string) string { return strings.TrimSpace(tags.ReplaceAllString(text, " ")) }

var tags = regexp.MustCompile(`<[^>]*>?|>`)
