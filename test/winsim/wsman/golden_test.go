package wsman_test

import (
	"net/http"
	"strings"
	"testing"

	"kinit/test/winsim/wsman"
)

const head = `<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" ` +
	`xmlns:x="http://schemas.xmlsoap.org/ws/2004/09/transfer" xmlns:e="http://schemas.xmlsoap.org/ws/2004/08/eventing" ` +
	`xmlns:n="http://schemas.xmlsoap.org/ws/2004/09/enumeration" xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd" ` +
	`xmlns:rsp="http://schemas.microsoft.com/wbem/wsman/1/windows/shell" xmlns:p="http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd">`

// envelope is what Windows puts around a body.
func envelope(action, body string) string {
	return head + `<s:Header><a:Action>` + action + `</a:Action><a:MessageID>uuid:ID</a:MessageID>` +
		`<a:To>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</a:To>` +
		`<a:RelatesTo>uuid:11111111-2222-3333-4444-555555555555</a:RelatesTo></s:Header><s:Body>` + body + `</s:Body></s:Envelope>`
}

// same compares an answer with what is wanted, but for the answer's own id.
func same(t *testing.T, step string, r reply, status int, want string) {
	t.Helper()
	if r.err != nil || r.status != status {
		t.Fatalf("%s: status %d, want %d, error %v", step, r.status, status, r.err)
	}
	if got := r.header.Get("Content-Type"); got != "application/soap+xml;charset=UTF-8" {
		t.Errorf("%s: content type %q", step, got)
	}
	before, rest, _ := strings.Cut(r.body, "<a:MessageID>uuid:")
	if len(rest) < 36 {
		t.Fatalf("%s: no message id: %s", step, r.body)
	}
	if got := before + "<a:MessageID>uuid:ID" + rest[36:]; got != want {
		t.Errorf("%s:\n got %s\nwant %s", step, got, want)
	}
}

// TestAnExchangeLooksAsOnWindows walks along the examples of MS-WSMV 4.1.
func TestAnExchangeLooksAsOnWindows(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)

	created := c.post(message(transfer+"Create", `<man:OptionSet><man:Option Name="WINRS_NOPROFILE">TRUE</man:Option><man:Option Name="WINRS_CODEPAGE">65001</man:Option></man:OptionSet>`,
		`<sh:Shell><sh:InputStreams>stdin</sh:InputStreams><sh:OutputStreams>stdout stderr</sh:OutputStreams><sh:WorkingDirectory>C:\k &amp; co</sh:WorkingDirectory>`+
			`<sh:Environment><sh:Variable Name="CITY">Ulm</sh:Variable></sh:Environment><sh:IdleTimeOut>PT90.5S</sh:IdleTimeOut></sh:Shell>`))
	shell := c.id(created, "ShellId")
	same(t, "Create", created, http.StatusOK, envelope(transfer+"CreateResponse",
		`<x:ResourceCreated><a:Address>http://node:5985/wsman</a:Address><a:ReferenceParameters><w:ResourceURI>http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd</w:ResourceURI>`+
			`<w:SelectorSet><w:Selector Name="ShellId">`+shell+`</w:Selector></w:SelectorSet></a:ReferenceParameters></x:ResourceCreated>`+
			`<rsp:Shell xmlns:rsp="http://schemas.microsoft.com/wbem/wsman/1/windows/shell"><rsp:ShellId>`+shell+`</rsp:ShellId>`+
			`<rsp:ResourceUri>http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd</rsp:ResourceUri><rsp:Owner>Administrator</rsp:Owner><rsp:ClientIP>127.0.0.1</rsp:ClientIP>`+
			`<rsp:WorkingDirectory>C:\k &amp; co</rsp:WorkingDirectory><rsp:IdleTimeOut>PT90.500S</rsp:IdleTimeOut><rsp:InputStreams>stdin</rsp:InputStreams><rsp:OutputStreams>stdout stderr</rsp:OutputStreams>`+
			`<rsp:ShellRunTime>P0DT0H0M0S</rsp:ShellRunTime><rsp:ShellInactivity>P0DT0H0M0S</rsp:ShellInactivity></rsp:Shell>`))

	started := c.post(commandMessage(shell, "cat"))
	command := c.id(started, "CommandId")
	same(t, "Command", started, http.StatusOK, envelope(shellNS+"CommandResponse", `<rsp:CommandResponse><rsp:CommandId>`+command+`</rsp:CommandId></rsp:CommandResponse>`))

	same(t, "Send", c.post(sendMessage(shell, command, "R3LDvMOfZQ==", "")), http.StatusOK, envelope(shellNS+"SendResponse", `<rsp:SendResponse/>`))
	same(t, "Receive", c.post(receiveMessage(shell, command)), http.StatusOK, envelope(shellNS+"ReceiveResponse",
		`<rsp:ReceiveResponse><rsp:Stream Name="stdout" CommandId="`+command+`">R3LDvMOfZQ==</rsp:Stream>`+
			`<rsp:CommandState CommandId="`+command+`" State="`+shellNS+`CommandState/Running"></rsp:CommandState></rsp:ReceiveResponse>`))
	same(t, "Receive without output", c.post(receiveMessage(shell, command)), http.StatusInternalServerError, envelope("http://schemas.dmtf.org/wbem/wsman/1/wsman/fault",
		`<s:Fault><s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value>w:TimedOut</s:Value></s:Subcode></s:Code>`+
			`<s:Reason><s:Text xml:lang="en-US">The WS-Management service cannot complete the operation within the time specified in OperationTimeout.  </s:Text></s:Reason>`+
			`<s:Detail><f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="2150858793" Machine="WINSIM">`+
			`<f:Message>The WS-Management service cannot complete the operation within the time specified in OperationTimeout.  </f:Message></f:WSManFault></s:Detail></s:Fault>`))
	same(t, "last Send", c.post(sendMessage(shell, command, "", ` End="true"`)), http.StatusOK, envelope(shellNS+"SendResponse", `<rsp:SendResponse/>`))
	same(t, "last Receive", c.post(receiveMessage(shell, command)), http.StatusOK, envelope(shellNS+"ReceiveResponse",
		`<rsp:ReceiveResponse><rsp:Stream Name="stdout" CommandId="`+command+`" End="true"></rsp:Stream><rsp:Stream Name="stderr" CommandId="`+command+`" End="true"></rsp:Stream>`+
			`<rsp:CommandState CommandId="`+command+`" State="`+shellNS+`CommandState/Done"><rsp:ExitCode>0</rsp:ExitCode></rsp:CommandState></rsp:ReceiveResponse>`))
	same(t, "Signal", c.post(signalMessage(shell, command, "terminate")), http.StatusOK, envelope(shellNS+"SignalResponse", `<rsp:SignalResponse/>`))
	same(t, "Delete", c.post(deleteMessage(shell)), http.StatusOK, envelope(transfer+"DeleteResponse", ""))
	if n := s.Shells(); n != 0 {
		t.Errorf("%d shells are open", n)
	}
}

func TestFaultsOfUnknownThingsLookAsOnWindows(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	const unknown = "99999999-8888-7777-6666-555555555555"
	const reason = `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>w:InvalidSelectors</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en-US">` +
		`The WS-Management service cannot process the request because the request contained invalid selectors for the resource. </s:Text></s:Reason>` +
		`<s:Detail><w:FaultDetail>http://schemas.dmtf.org/wbem/wsman/1/wsman/faultDetail/UnexpectedSelectors</w:FaultDetail>` +
		`<f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="2150858843" Machine="WINSIM"><f:Message>`
	same(t, "shell", c.post(commandMessage(unknown, "echo")), http.StatusInternalServerError, envelope("http://schemas.dmtf.org/wbem/wsman/1/wsman/fault", reason+
		`<f:ProviderFault provider="Shell provider" path="%systemroot%\system32\WsmSvc.dll"><f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="2150858843" Machine="WINSIM">`+
		`<f:Message>The WS-Management service cannot process the request because the request contained invalid selectors for the resource. </f:Message></f:WSManFault></f:ProviderFault></f:Message></f:WSManFault></s:Detail></s:Fault>`))
	same(t, "command", c.post(receiveMessage(c.open(), unknown)), http.StatusInternalServerError, envelope("http://schemas.dmtf.org/wbem/wsman/1/wsman/fault", reason+
		`The Windows Remote Shell received a request to perform an operation on a command identifier that does not exist. Either the command has completed execution or the client specified an invalid command identifier. `+
		`</f:Message></f:WSManFault></s:Detail></s:Fault>`))
}

func TestFaultsAreInTheMachinesLanguage(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *wsman.Options) { o.Language, o.Computer = "de-DE", "KNOTEN" })
	r := s.basic(t).post(message(transfer+"Create", `<man:OperationTimeout>PT-1S</man:OperationTimeout>`, newShell))
	const want = `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>a:InvalidMessageInformationHeader</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="de-DE">` +
		`Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Sie enthält mindestens einen ungültigen SOAP-Header. </s:Text></s:Reason>` +
		`<s:Detail><f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="2150858767" Machine="KNOTEN"><f:Message>` +
		`Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Das XML enthält ein ungültiges Zeitlimit im SOAP-Header: PT-1S. </f:Message></f:WSManFault></s:Detail></s:Fault>`
	if _, fault, _ := strings.Cut(r.body, "<s:Body>"); fault != want+"</s:Body></s:Envelope>" {
		t.Errorf("status %d:\n got %s\nwant %s", r.status, fault, want)
	}
	if !strings.Contains(r.body, "<a:Action>http://schemas.xmlsoap.org/ws/2004/08/addressing/fault</a:Action>") {
		t.Errorf("not a fault of addressing: %s", r.body)
	}
}

func TestIdentifyTellsTheVersionToThoseWhoLogIn(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const ask = `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:i="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd"><s:Header/><s:Body><i:Identify/></s:Body></s:Envelope>`
	anybody := s.client(t, s.http, "")
	anybody.header.Set("WSMANIDENTIFY", "unauthenticated")
	for name, c := range map[string]struct {
		client *client
		want   string
	}{
		"with a login": {s.basic(t), "OS: 10.0.20348 SP: 0.0 Stack: 3.0"},
		"without":      {anybody, "OS: 0.0.0 SP: 0.0 Stack: 3.0"},
	} {
		want := `<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header/><s:Body><wsmid:IdentifyResponse xmlns:wsmid="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd">` +
			`<wsmid:ProtocolVersion>http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd</wsmid:ProtocolVersion><wsmid:ProductVendor>Microsoft Corporation</wsmid:ProductVendor>` +
			`<wsmid:ProductVersion>` + c.want + `</wsmid:ProductVersion></wsmid:IdentifyResponse></s:Body></s:Envelope>`
		if r := c.client.post(ask); r.status != http.StatusOK || r.body != want {
			t.Errorf("%s: status %d\n got %s\nwant %s", name, r.status, r.body, want)
		}
	}
}
