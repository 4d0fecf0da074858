package value

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/unknown"
)

// Exception is a .NET exception.
type Exception struct {
	Type    string // full name
	Message string
	HResult int32
	Inner   *Exception
	// Extra are properties that the type has besides the usual ones.
	Extra []*Property
}

// HResults of exceptions: COR_E_* and the HRESULTs of Win32 errors, as .NET sets them.
const (
	hresultException   = -2146233088 // 0x80131500, System.Exception
	hresultSystem      = -2146233087 // 0x80131501, System.SystemException, RuntimeException
	hresultArgument    = -2147024809 // 0x80070057
	hresultNullRef     = -2147467261 // 0x80004003
	hresultFormat      = -2146233033 // 0x80131537
	hresultInvalidCast = -2147467262 // 0x80004002
	hresultInvalidOp   = -2146233079 // 0x80131509
	hresultIO          = -2146232800 // 0x80131620
	hresultIndex       = -2146233080 // 0x80131508
	hresultOverflow    = -2146233066 // 0x80131516
	hresultNotSupport  = -2146233067 // 0x80131515
	hresultRange       = -2146233086 // 0x80131502
	hresultDivide      = -2147352558 // 0x80020012
	hresultCrypto      = -2146233296 // 0x80131430
)

// NewException is an exception of a type with the HResult that the type has.
func NewException(typeName, message string) *Exception {
	return &Exception{Type: typeName, Message: message, HResult: usualHResult(typeName)}
}

// Win32HResult is the HRESULT of a Win32 error.
func Win32HResult(code uint16) int32 { return int32(uint32(code) | 0x80070000) }

func usualHResult(typeName string) int32 {
	if hresult, ok := hresults()[typeName]; ok {
		return hresult
	}
	return hresultSystem
}

// hresults are the HResults of exceptions that have one of their own.
func hresults() map[string]int32 {
	return map[string]int32{
		"System.Exception":                                    hresultException,
		"System.ArgumentException":                            hresultArgument,
		"System.ArgumentNullException":                        hresultNullRef,
		"System.NullReferenceException":                       hresultNullRef,
		"System.ArgumentOutOfRangeException":                  hresultRange,
		"System.FormatException":                              hresultFormat,
		"System.InvalidCastException":                         hresultInvalidCast,
		"System.Management.Automation.PSInvalidCastException": hresultInvalidCast,
		"System.InvalidOperationException":                    hresultInvalidOp,
		"System.IO.IOException":                               hresultIO,
		"System.IO.FileNotFoundException":                     Win32HResult(2),
		"System.IO.DirectoryNotFoundException":                Win32HResult(3),
		"System.UnauthorizedAccessException":                  Win32HResult(5),
		"System.IndexOutOfRangeException":                     hresultIndex,
		"System.OverflowException":                            hresultOverflow,
		"System.NotSupportedException":                        hresultNotSupport,
		"System.DivideByZeroException":                        hresultDivide,
		"System.Security.Cryptography.CryptographicException": hresultCrypto,
	}
}

// Error is the message.
func (e *Exception) Error() string { return e.Message }

// GetBase is the exception that caused all the others.
func (e *Exception) GetBase() *Exception {
	for e.Inner != nil {
		e = e.Inner
	}
	return e
}

// Property is a property of an exception by its name in any case.
func (e *Exception) Property(name string) (any, error) {
	switch strings.ToLower(name) {
	case "message":
		return e.Message, nil
	case "hresult":
		return e.HResult, nil
	case "innerexception":
		if e.Inner == nil {
			return nil, nil
		}
		return e.Inner, nil
	}
	for _, p := range e.Extra {
		if strings.EqualFold(p.Name, name) {
			return p.Read()
		}
	}
	return nil, unknown.New("the property %s of %s", name, e.Type)
}

// parentsText are the exceptions whose parent is another than System.SystemException, and their parents.
//
//go:embed exceptions.txt
var parentsText string

func parents() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(parentsText) {
		name, parent, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = parent
	}
	return all
}

// ExceptionTypes are the types that a type of exceptions derives from.
func ExceptionTypes(typeName string) []string {
	all := parents()
	var types []string
	for typeName != "System.Exception" {
		parent, ok := all[typeName]
		if !ok {
			parent = "System.SystemException"
		}
		types = append(types, parent)
		typeName = parent
	}
	return types
}

// plainExceptions are those with the HResult and the parent of System.SystemException.
func plainExceptions() []string {
	return []string{
		"System.TimeoutException", "System.ArithmeticException", "System.Xml.XmlException",
		"System.Security.SecurityException", "System.OperationCanceledException", "System.MethodAccessException",
		"System.Management.Automation.RuntimeException", "System.Runtime.InteropServices.ExternalException",
		"System.Runtime.InteropServices.COMException", "System.Security.Authentication.AuthenticationException",
	}
}

// ErrorRecord is what $_ is in a catch block.
type ErrorRecord struct {
	Exception *Exception
	ID        string // FullyQualifiedErrorId
	Category  string // such as ObjectNotFound
	Activity  string // the cmdlet
	Target    any
	Place     Place
	Details   string // replaces the message where it is not empty
}

// Place is where in a script an error came from.
type Place struct {
	Command  string // the name of the cmdlet or program
	Script   string
	Line     int // from 1; 0 where there is no place
	Column   int
	LineText string
	Width    int // how many characters are underlined
}

// Message is what people read.
func (r *ErrorRecord) Message() string {
	if r.Details != "" {
		return r.Details
	}
	return r.Exception.Message
}

// KnownException is the full name of a type of exceptions in its proper case.
func KnownException(name string) (string, bool) {
	for child, parent := range parents() {
		if strings.EqualFold(child, name) {
			return child, true
		}
		if strings.EqualFold(parent, name) {
			return parent, true
		}
	}
	for _, plain := range slices.AppendSeq(plainExceptions(), maps.Keys(hresults())) {
		if strings.EqualFold(plain, name) {
			return plain, true
		}
	}
	return "", false
}
