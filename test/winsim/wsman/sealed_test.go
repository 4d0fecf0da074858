package wsman

import (
	"strings"
	"testing"
)

func TestPartsOfAnEncryptedMessage(t *testing.T) {
	t.Parallel()
	const right = "--B 1\r\n\tContent-Type: application/HTTP-SPNEGO-session-encrypted\r\n" +
		"\tOriginalContent: type=application/soap+xml;charset=UTF-8;Length=3\r\n" +
		"--B 1\r\n\tContent-Type: application/octet-stream\r\n\xff\r\n--B 1\x00--B 1--\r\n"
	size, sealed, err := parts([]byte(right), "B 1")
	if err != nil || size != 3 || string(sealed) != "\xff\r\n--B 1\x00" {
		t.Errorf("size %d, sealed %q, %v", size, sealed, err)
	}
	for name, body := range map[string]string{
		"no end":           strings.TrimSuffix(right, "--\r\n"),
		"another protocol": strings.Replace(right, "SPNEGO", "Kerberos", 1),
		"no length":        strings.Replace(right, ";Length=3", "", 1),
		"another boundary": strings.ReplaceAll(right, "B 1", "B 2"),
		"one part":         "--B 1\r\n\tContent-Type: application/octet-stream\r\nx--B 1--\r\n",
	} {
		if _, _, err := parts([]byte(body), "B 1"); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
