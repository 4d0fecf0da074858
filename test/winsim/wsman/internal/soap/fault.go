package soap

import (
	"fmt"
	"strings"
)

// Fault is an answer that something went wrong. It travels with HTTP status 500.
type Fault struct {
	kind Kind
	args []any
}

// NewFault makes a fault; args fill the blanks of its text.
func NewFault(kind Kind, args ...any) *Fault { return &Fault{kind: kind, args: args} }

// FaultOf makes the fault that a server answers with a code, the first when there
// are several. A code that the list does not have becomes an internal error.
func FaultOf(code uint32) *Fault {
	for kind, form := range kinds() {
		if form.code == code && Kind(kind) != internalError {
			return NewFault(Kind(kind))
		}
	}
	return &Fault{kind: internalError, args: []any{code}}
}

// Code is the number in the fault, as wsmerror.h or winerror.h name it.
func (f *Fault) Code() uint32 {
	if f.kind == internalError {
		return f.args[0].(uint32)
	}
	return f.form().code
}

func (f *Fault) form() form { return kinds()[f.kind] }

// Encode writes the fault as an answer to a message, in a language, by a machine.
func (f *Fault) Encode(relatesTo, language, machine string) []byte {
	form := f.form()
	body := fmt.Sprintf(`<s:Fault><s:Code><s:Value>%s</s:Value>%s</s:Code><s:Reason><s:Text xml:lang="%s">%s</s:Text></s:Reason>%s</s:Fault>`,
		form.value, f.subcode(), language, escape(form.reason.in(language)), f.detail(language, machine))
	action := actionFault
	if form.subcode == "" || strings.HasPrefix(form.subcode, "a:") {
		action = actionAddressingFault
	}
	return encode(action, relatesTo, body, language)
}

func (f *Fault) subcode() string {
	if f.form().subcode == "" {
		return ""
	}
	return `<s:Subcode><s:Value>` + f.form().subcode + `</s:Value></s:Subcode>`
}

// detail is what programs look at. SOAP's own fault has none.
func (f *Fault) detail(language, machine string) string {
	form := f.form()
	if form.subcode == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<s:Detail>`)
	if form.detail != "" {
		b.WriteString(`<w:FaultDetail>` + faultDetail + form.detail + `</w:FaultDetail>`)
	}
	message := form.message
	if message.english == "" {
		message = form.reason
	}
	text := escape(fill(message.in(language), f.args))
	b.WriteString(wsmanFault(f.Code(), machine, form.provider.wrap(f.Code(), machine, text)))
	b.WriteString(`</s:Detail>`)
	return b.String()
}

// fill puts the arguments into a text, as far as it has blanks: a fault that was
// asked for by its code has no arguments.
func fill(text string, args []any) string {
	blanks := strings.Count(text, "%")
	if blanks == 0 {
		return text
	}
	for len(args) < blanks {
		args = append(args, "?")
	}
	return fmt.Sprintf(text, args...)
}

func wsmanFault(code uint32, machine, message string) string {
	return fmt.Sprintf(`<f:WSManFault xmlns:f="%s" Code="%d" Machine="%s"><f:Message>%s</f:Message></f:WSManFault>`,
		nsFault, code, escape(machine), message)
}

// provider is the part of Windows that a fault comes from.
type provider int

const (
	service       provider = iota
	cmdPlugin              // which runs text-based shells
	shellProvider          // which knows shells
)

// wrap names the provider around the text.
func (p provider) wrap(code uint32, machine, text string) string {
	switch p {
	case cmdPlugin:
		return `<f:ProviderFault provider="Shell cmd plugin" path="%systemroot%\system32\winrscmd.dll">` + text + `</f:ProviderFault>`
	case shellProvider:
		return `<f:ProviderFault provider="Shell provider" path="%systemroot%\system32\WsmSvc.dll">` + wsmanFault(code, machine, text) + `</f:ProviderFault>`
	default:
		return text
	}
}

// text is what people read.
type text struct{ english, german string }

func (t text) in(language string) string {
	if strings.HasPrefix(language, "de") {
		return t.german
	}
	return t.english
}
