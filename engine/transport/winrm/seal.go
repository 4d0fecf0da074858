package winrm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/bodgit/ntlmssp"
)

// A sealed message in HTTP ([MS-WSMV] 2.2.9.1): two parts, the second without an empty line
// after its header. Windows writes header lines with a tab before them.
const (
	sealedProtocol = "application/HTTP-SPNEGO-session-encrypted"
	sealedType     = `multipart/encrypted;protocol="` + sealedProtocol + `";boundary="Encrypted Boundary"`
	boundary       = "--Encrypted Boundary"
)

func seal(session *ntlmssp.SecuritySession, message []byte) ([]byte, error) {
	sealed, signature, err := session.Wrap(message)
	if err != nil {
		return nil, fmt.Errorf("seal a message: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\r\n\tContent-Type: %s\r\n\tOriginalContent: type=%s;charset=UTF-8;Length=%d\r\n", boundary, sealedProtocol, soapType, len(message))
	fmt.Fprintf(&b, "%s\r\n\tContent-Type: application/octet-stream\r\n", boundary)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(signature))))
	b.Write(signature)
	b.Write(sealed)
	b.WriteString(boundary + "--\r\n")
	return b.Bytes(), nil
}

// signatureLength is the length of NTLM's signatures ([MS-NLMP] 2.2.2.9).
const signatureLength = 16

func open(session *ntlmssp.SecuritySession, body []byte) ([]byte, error) {
	length, sealed, err := unpack(body)
	if err != nil {
		return nil, fmt.Errorf("the machine's sealed answer: %w", err)
	}
	if len(sealed) < 4+signatureLength+length || binary.LittleEndian.Uint32(sealed) != signatureLength {
		return nil, errors.New("the machine's sealed answer is cut short")
	}
	signature, text := sealed[4:4+signatureLength], sealed[4+signatureLength:][:length]
	message, err := session.Unwrap(text, signature)
	if err != nil {
		return nil, fmt.Errorf("the machine's answer was changed on its way, or sealed by somebody else: %w", err)
	}
	return message, nil
}

// heads matches what comes before a sealed message.
var heads = regexp.MustCompile(`(?is)^\s*--Encrypted Boundary\r\n.*?\r\n\s*OriginalContent:[^\r\n]*;\s*Length=(\d+)[^\r\n]*\r\n(?:\r\n)?` +
	`--Encrypted Boundary\r\n\s*Content-Type: application/octet-stream\r\n(?:\r\n)?`)

// unpack finds the length of the message, and the start of its encrypted form.
func unpack(body []byte) (length int, sealed []byte, err error) {
	at := heads.FindSubmatchIndex(body[:min(len(body), 2048)])
	if at == nil {
		return 0, nil, errors.New("it does not have its two parts")
	}
	length, err = strconv.Atoi(string(body[at[2]:at[3]]))
	if err != nil || length > largestAnswer {
		return 0, nil, fmt.Errorf("its length is %s", body[at[2]:at[3]])
	}
	return length, body[at[1]:], nil
}
