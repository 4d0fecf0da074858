package winrm

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/masterzen/winrm"
	"github.com/masterzen/winrm/soap"
)

// The actions of the operations ([WS-Transfer]; [MS-WSMV] 3.1.4). The action of an answer
// has "Response" appended.
const (
	actionCreate  = "http://schemas.xmlsoap.org/ws/2004/09/transfer/Create"
	actionDelete  = "http://schemas.xmlsoap.org/ws/2004/09/transfer/Delete"
	actionCommand = shellNamespace + "/Command"
	actionSend    = shellNamespace + "/Send"
	actionReceive = shellNamespace + "/Receive"
	actionSignal  = shellNamespace + "/Signal"

	shellNamespace = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
	shellResource  = shellNamespace + "/cmd"
)

// message is one operation.
type message struct {
	step   string // its name for messages to users
	action string
	text   string
}

func newMessage(action string, m *soap.SoapMessage) message {
	defer m.Free()
	return message{step: action[strings.LastIndexByte(action, '/')+1:], action: action, text: m.String()}
}

// language is the wanted language of the machine's messages. The package reads only their
// codes.
const language = "en-US"

// largestEnvelope is the default of MaxEnvelopeSizekb, 500, in bytes.
const largestEnvelope = 500 << 10

// within returns the parameters of operations that the machine may hold for a time.
func within(d time.Duration) *winrm.Parameters {
	timeout := "PT" + strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "S" // xs:duration
	return winrm.NewParameters(timeout, language, largestEnvelope)
}

// commandMessage starts a command line. The library's own message asks for a standard input of
// console mode, in which the machine would treat it as typed keys; a pipe passes bytes
// (WINRS_CONSOLEMODE_STDIN, [MS-WSMV] 3.1.4.11).
func commandMessage(url, shell, line string, p *winrm.Parameters) *soap.SoapMessage {
	request := soap.NewMessage()
	request.Header().
		To(url).
		ReplyTo("http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous").
		MaxEnvelopeSize(p.EnvelopeSize).
		Id("uuid:" + uuid.NewString()).
		Locale(p.Locale).
		Timeout(p.Timeout).
		Action(actionCommand).
		ShellId(shell).
		ResourceURI(shellResource).
		AddOption(soap.NewHeaderOption("WINRS_CONSOLEMODE_STDIN", "FALSE")).
		AddOption(soap.NewHeaderOption("WINRS_SKIP_CMD_SHELL", "FALSE")).
		Build()
	body := request.CreateBodyElement("CommandLine", soap.DOM_NS_WIN_SHELL)
	request.CreateElement(body, "Command", soap.DOM_NS_WIN_SHELL).SetContent("<![CDATA[" + line + "]]>")
	return request
}
