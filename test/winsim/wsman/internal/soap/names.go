// Package soap reads requests of WS-Management and writes answers and faults in the
// form in which Windows writes them. It is written from MS-WSMV, DSP0226 and the
// header wsmerror.h of the Windows SDK.
package soap

// Namespaces.
const (
	nsEnvelope   = "http://www.w3.org/2003/05/soap-envelope"
	nsAddressing = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
	nsEventing   = "http://schemas.xmlsoap.org/ws/2004/08/eventing"
	nsEnumerate  = "http://schemas.xmlsoap.org/ws/2004/09/enumeration"
	nsTransfer   = "http://schemas.xmlsoap.org/ws/2004/09/transfer"
	nsManagement = "http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"
	nsMicrosoft  = "http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd"
	nsShell      = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
	nsFault      = "http://schemas.microsoft.com/wbem/wsman/1/wsmanfault"
	nsIdentity   = "http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd"
)

// Actions of requests. The answer's action is the request's with "Response" after it.
const (
	ActionCreate  = nsTransfer + "/Create"
	ActionDelete  = nsTransfer + "/Delete"
	ActionCommand = nsShell + "/Command"
	ActionSend    = nsShell + "/Send"
	ActionReceive = nsShell + "/Receive"
	ActionSignal  = nsShell + "/Signal"
)

// ResourceCmd is the resource of text-based command shells (MS-WSMV 3.1.4.5.2).
const ResourceCmd = nsShell + "/cmd"

// Codes of signals (MS-WSMV 2.2.4.38).
const (
	SignalTerminate = nsShell + "/signal/terminate"
	SignalCtrlC     = nsShell + "/signal/ctrl_c"
	SignalCtrlBreak = nsShell + "/signal/ctrl_break"
)

// States of commands (MS-WSMV 2.2.4.9).
const (
	StateDone    = nsShell + "/CommandState/Done"
	StatePending = nsShell + "/CommandState/Pending"
	StateRunning = nsShell + "/CommandState/Running"
)

const (
	actionFault           = "http://schemas.dmtf.org/wbem/wsman/1/wsman/fault"
	actionAddressingFault = nsAddressing + "/fault"
	faultDetail           = "http://schemas.dmtf.org/wbem/wsman/1/wsman/faultDetail/"
	anonymous             = nsAddressing + "/role/anonymous"
)
