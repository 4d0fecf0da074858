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

// messages makes the operations on a machine.
type messages struct {
	url        string
	parameters *winrm.Parameters // of all but Receive
	patient    *winrm.Parameters // of Receive
}

// language is the wanted language of the machine's messages. The package reads only their
// codes.
const language = "en-US"

// largestEnvelope is the default of MaxEnvelopeSizekb, 500, in bytes.
const largestEnvelope = 500 << 10

func newMessages(c Config) messages {
	within := func(d time.Duration) *winrm.Parameters {
		timeout := "PT" + strconv.FormatFloat(d.Seconds(), 'f', 3, 64) + "S" // xs:duration
		return winrm.NewParameters(timeout, language, largestEnvelope)
	}
	return messages{url: c.url(), parameters: within(c.answer), patient: within(c.poll)}
}

func (m messages) create() message {
	return newMessage(actionCreate, winrm.NewOpenShellRequest(m.url, m.parameters))
}

func (m messages) deleteShell(shell string) message {
	return newMessage(actionDelete, winrm.NewDeleteShellRequest(m.url, shell, m.parameters))
}

// command starts a command line. The library's own message asks for a standard input of
// console mode, in which the machine would treat it as typed keys; a pipe passes bytes
// (WINRS_CONSOLEMODE_STDIN, [MS-WSMV] 3.1.4.11).
func (m messages) command(shell, line string) message {
	request := soap.NewMessage()
	request.Header().
		To(m.url).
		ReplyTo("http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous").
		MaxEnvelopeSize(m.parameters.EnvelopeSize).
		Id(newID()).
		Locale(m.parameters.Locale).
		Timeout(m.parameters.Timeout).
		Action(actionCommand).
		ShellId(shell).
		ResourceURI(shellResource).
		AddOption(soap.NewHeaderOption("WINRS_CONSOLEMODE_STDIN", "FALSE")).
		AddOption(soap.NewHeaderOption("WINRS_SKIP_CMD_SHELL", "FALSE")).
		Build()
	body := request.CreateBodyElement("CommandLine", soap.DOM_NS_WIN_SHELL)
	request.CreateElement(body, "Command", soap.DOM_NS_WIN_SHELL).SetContent("<![CDATA[" + line + "]]>")
	return newMessage(actionCommand, request)
}

func (m messages) send(shell, command string, input []byte, end bool) message {
	return newMessage(actionSend, winrm.NewSendInputRequest(m.url, shell, command, input, end, m.parameters))
}

func (m messages) receive(shell, command string) message {
	return newMessage(actionReceive, winrm.NewGetOutputRequest(m.url, shell, command, "stdout stderr", m.patient))
}

// terminate ends a command, or releases one that has ended.
func (m messages) terminate(shell, command string) message {
	return newMessage(actionSignal, winrm.NewSignalRequest(m.url, shell, command, m.parameters))
}

// newID returns a random UUID as a message's id.
func newID() string {
	return "uuid:" + uuid.NewString()
}
