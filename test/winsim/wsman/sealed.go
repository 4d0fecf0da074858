package wsman

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"kinit/test/winsim/wsman/internal/ntlm"
)

// Messages that are encrypted travel in two parts (MS-WSMV 2.2.9.1): what they were,
// and the signature's length, the signature and the sealed bytes.
const (
	typeSOAP   = "application/soap+xml;charset=UTF-8"
	protocol   = "application/HTTP-SPNEGO-session-encrypted"
	boundary   = "Encrypted Boundary"
	typeSealed = `multipart/encrypted;protocol="` + protocol + `";boundary="` + boundary + `"`
)

// isSealed reports whether a request is encrypted.
func isSealed(r *http.Request) bool {
	return strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/encrypted")
}

// unseal returns the message in an encrypted request.
func unseal(session *ntlm.Session, contentType string, body []byte) ([]byte, error) {
	if session == nil {
		return nil, errors.New("no session was agreed on that messages could be sealed in")
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(parameters["protocol"], protocol) {
		return nil, fmt.Errorf("protocol %q, not %s", parameters["protocol"], protocol)
	}
	size, sealed, err := parts(body, parameters["boundary"])
	if err != nil {
		return nil, err
	}
	if len(sealed) != 4+ntlm.SizeSignature+size || binary.LittleEndian.Uint32(sealed) != ntlm.SizeSignature {
		return nil, fmt.Errorf("%d sealed bytes do not hold a signature and %d bytes", len(sealed), size)
	}
	return session.Unseal(sealed[4+ntlm.SizeSignature:], sealed[4:4+ntlm.SizeSignature])
}

// parts takes a body apart: how large the message is, and what is sealed. The parts
// have headers that begin with a tab and no empty line behind them.
func parts(body []byte, boundary string) (int, []byte, error) {
	line := regexp.QuoteMeta("--" + boundary)
	pattern := regexp.MustCompile(`(?s)^` + line + `\r\n` +
		`\t?Content-Type: ` + regexp.QuoteMeta(protocol) + `\r\n` +
		`\t?OriginalContent: type=([^\r\n]+?);Length=(\d+)\r\n` + line + `\r\n` +
		`\t?Content-Type: application/octet-stream\r\n(.*)` + line + `--\r\n$`)
	match := pattern.FindSubmatch(body)
	if match == nil {
		return 0, nil, errors.New("not two parts with headers and an end")
	}
	size, err := strconv.Atoi(string(match[2]))
	return size, match[3], err
}

// seal puts a message into an encrypted answer.
func seal(session *ntlm.Session, message []byte) []byte {
	sealed, signature := session.Seal(message)
	var b bytes.Buffer
	fmt.Fprintf(&b, "--%s\r\n\tContent-Type: %s\r\n\tOriginalContent: type=%s;Length=%d\r\n", boundary, protocol, typeSOAP, len(message))
	fmt.Fprintf(&b, "--%s\r\n\tContent-Type: application/octet-stream\r\n", boundary)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(signature))))
	b.Write(signature)
	b.Write(sealed)
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes()
}
