package soap

// Kind names a fault.
type Kind int

// The faults that the server knows.
const (
	internalError Kind = iota
	TimedOut
	UnknownShell
	UnknownCommand
	BadTimeout
	InvalidParameter
	FileNotFound
	LineTooLong
	NotReady
	ProfileUnloads
	SchemaError
	InvalidBody
	TooManyShells
	TooManyOperations
	TooManyUsers
	TooManyProcesses
	OutOfMemory
	PipeCloses
	Aborted
	UnknownResource
	UnknownAction
	HeaderRequired
	MustUnderstand
	EnvelopeTooSmall
	Busy
	AccessDenied
	IdleTimeoutOutOfBounds
	UnknownCodePage
	CommandExists
	ShellExists
)

// form is what a kind of fault looks like.
type form struct {
	code     uint32
	value    string // who is to blame
	subcode  string
	detail   string // of DSP0226, behind faultDetail/
	provider provider
	reason   text
	message  text // for the detail, when it is not the reason
}

const (
	sender   = "s:Sender"
	receiver = "s:Receiver"
)

// kinds are the forms of the faults, by kind.
func kinds() [ShellExists + 1]form {
	selectors := text{
		"The WS-Management service cannot process the request because the request contained invalid selectors for the resource. ",
		"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden, da sie ungültige Selektoren für die Ressource enthält. ",
	}
	quota := text{
		"The WS-Management service cannot process the request. The service is configured to not accept any further requests of this kind. ",
		"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Weitere Anforderungen dieser Art werden nicht angenommen. ",
	}
	provided := func(code uint32, english, german string) form {
		return form{code: code, value: receiver, subcode: "w:InternalError", provider: cmdPlugin, reason: text{english, german}}
	}
	refused := func(code uint32, subcode, detail, english, german string) form {
		return form{code: code, value: sender, subcode: subcode, detail: detail, reason: text{english, german}}
	}
	limited := func(code uint32, english, german string) form {
		return form{code: code, value: sender, subcode: "w:QuotaLimit", reason: quota, message: text{english, german}}
	}
	return [...]form{
		internalError: {value: receiver, subcode: "w:InternalError", reason: text{
			"The WS-Management service cannot process the request because of an internal error. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst wegen eines internen Fehlers nicht verarbeitet werden. "}},
		TimedOut: {code: 2150858793, value: receiver, subcode: "w:TimedOut", reason: text{
			"The WS-Management service cannot complete the operation within the time specified in OperationTimeout.  ",
			"Der Vorgang kann vom WS-Verwaltungsdienst nicht innerhalb der in OperationTimeout angegebenen Zeit abgeschlossen werden.  "}},
		UnknownShell: {code: 2150858843, value: sender, subcode: "w:InvalidSelectors", detail: "UnexpectedSelectors", provider: shellProvider, reason: selectors},
		UnknownCommand: {code: 2150858843, value: sender, subcode: "w:InvalidSelectors", detail: "UnexpectedSelectors", reason: selectors, message: text{
			"The Windows Remote Shell received a request to perform an operation on a command identifier that does not exist. Either the command has completed execution or the client specified an invalid command identifier. ",
			"Die Windows-Remoteshell hat eine Anforderung für eine Befehlskennung erhalten, die nicht vorhanden ist. Entweder wurde der Befehl abgeschlossen, oder der Client hat eine ungültige Befehlskennung angegeben. "}},
		BadTimeout: {code: 2150858767, value: sender, subcode: "a:InvalidMessageInformationHeader",
			reason: text{
				"The WS-Management service cannot process the request. The request contains one or more invalid SOAP headers. ",
				"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Sie enthält mindestens einen ungültigen SOAP-Header. "},
			message: text{
				"The WS-Management service cannot process the request. The XML contains an invalid timeout field in the SOAP header: %v. ",
				"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Das XML enthält ein ungültiges Zeitlimit im SOAP-Header: %v. "}},
		InvalidParameter: {code: 87, value: sender, subcode: "w:InvalidParameter", detail: "InvalidValue", provider: cmdPlugin, reason: text{
			"The parameter is incorrect. ", "Falscher Parameter. "}},
		FileNotFound:     provided(2147942402, "The system cannot find the file specified. ", "Das System kann die angegebene Datei nicht finden. "),
		LineTooLong:      provided(2147942606, "The filename or extension is too long. ", "Der Dateiname oder die Erweiterung ist zu lang. "),
		NotReady:         provided(2147942421, "The device is not ready. ", "Das Gerät ist nicht bereit. "),
		ProfileUnloads:   provided(2147943418, "Illegal operation attempted on a registry key that has been marked for deletion. ", "Es wurde versucht, einen Registrierungsschlüssel zu benutzen, der zum Löschen markiert wurde. "),
		TooManyProcesses: provided(2147944216, "Not enough quota is available to process this command. ", "Es ist nicht genügend Kontingent vorhanden, um diesen Befehl zu verarbeiten. "),
		OutOfMemory:      provided(2147942414, "Not enough memory resources are available to complete this operation. ", "Für diesen Vorgang sind nicht genügend Speicherressourcen verfügbar. "),
		PipeCloses:       provided(2147942632, "The pipe is being closed. ", "Die Pipe wird gerade geschlossen. "),
		Aborted: provided(995, "The I/O operation has been aborted because of either a thread exit or an application request. ",
			"Der E/A-Vorgang wurde wegen eines Threadendes oder einer Anwendungsanforderung abgebrochen. "),
		SchemaError: refused(2150858817, "w:SchemaValidationError", "",
			"The SOAP XML in the message does not match the corresponding XML schema definition. Change the XML and retry. ",
			"Das SOAP-XML in der Nachricht entspricht nicht der zugehörigen XML-Schemadefinition. Ändern Sie das XML, und wiederholen Sie den Vorgang. "),
		InvalidBody: refused(2150858791, "w:InvalidBody", "",
			"The WS-Management service cannot process the request because the request packet does not have a valid SOAP body. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden, da das Paket keinen gültigen SOAP-Text enthält. "),
		TooManyShells: limited(2150859173,
			"The WS-Management service cannot process the request. This user is allowed a maximum number of %v concurrent shells, which has been exceeded. Close existing shells or raise the quota for this user. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Für diesen Benutzer sind höchstens %v gleichzeitige Shells zulässig. Dieser Wert wurde überschritten. "),
		TooManyOperations: limited(2150859174,
			"The WS-Management service cannot process the request. This user is allowed a maximum number of %v concurrent operations, which has been exceeded. Close existing operations for this user, or raise the quota for this user. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Für diesen Benutzer sind höchstens %v gleichzeitige Vorgänge zulässig. Dieser Wert wurde überschritten. "),
		TooManyUsers: limited(2150859179,
			"The WS-Management service cannot process the request. The maximum number of users executing shell operations has been exceeded. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Die Höchstzahl der Benutzer mit Shellvorgängen wurde überschritten. "),
		UnknownResource: refused(2150858752, "a:DestinationUnreachable", "InvalidResourceURI",
			"The WS-Management service cannot process the request. The service cannot find the resource identified by the resource URI and selectors. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Die durch URI und Selektoren bezeichnete Ressource wurde nicht gefunden. "),
		UnknownAction: refused(2150858771, "a:ActionNotSupported", "",
			"The WS-Management service does not support the action specified in the request. ",
			"Die in der Anforderung angegebene Aktion wird vom WS-Verwaltungsdienst nicht unterstützt. "),
		HeaderRequired: refused(2150858769, "a:MessageInformationHeaderRequired", "",
			"The WS-Management service cannot process the request. The request does not have all the expected SOAP headers. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Sie enthält nicht alle erwarteten SOAP-Header. "),
		MustUnderstand: {code: 2150858768, value: "s:MustUnderstand", reason: text{
			"The WS-Management service cannot process a SOAP header in the request that is marked as mustUnderstand by the client. ",
			"Ein SOAP-Header in der Anforderung, der vom Client als mustUnderstand gekennzeichnet ist, kann nicht verarbeitet werden. "}},
		EnvelopeTooSmall: refused(2150858805, "w:EncodingLimit", "MinimumEnvelopeLimit",
			"The WS-Management service cannot process the request because the encoding of the request exceeds an internal encoding limit. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden, da die Codierung ein internes Limit überschreitet. "),
		Busy: refused(2150858802, "w:Concurrency", "",
			"The WS-Management service cannot complete the WS-Addressing Action URI in the request because the resource was already in use. ",
			"Die Aktion in der Anforderung kann vom WS-Verwaltungsdienst nicht abgeschlossen werden, da die Ressource bereits verwendet wird. "),
		AccessDenied: refused(5, "w:AccessDenied", "",
			"Access is denied. ", "Zugriff verweigert "),
		IdleTimeoutOutOfBounds: refused(2150859250, "w:InvalidParameter", "InvalidValue",
			"The WS-Management service cannot process the request. The IdleTimeout value is outside of the range that is allowed. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Der Wert IdleTimeout liegt außerhalb des zulässigen Bereichs. "),
		UnknownCodePage: refused(2150859072, "w:InvalidParameter", "InvalidValue",
			"The Windows Remote Shell cannot process the request. The code page is not supported. ",
			"Die Windows-Remoteshell kann die Anforderung nicht verarbeiten. Die Codepage wird nicht unterstützt. "),
		CommandExists: refused(2150859222, "w:AlreadyExists", "",
			"The WS-Management service cannot process the request. A command with this identifier exists in the shell. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. In der Shell ist ein Befehl mit dieser Kennung vorhanden. "),
		ShellExists: refused(2150859223, "w:AlreadyExists", "",
			"The WS-Management service cannot process the request. A shell with this identifier exists. ",
			"Die Anforderung kann vom WS-Verwaltungsdienst nicht verarbeitet werden. Eine Shell mit dieser Kennung ist vorhanden. "),
	}
}
