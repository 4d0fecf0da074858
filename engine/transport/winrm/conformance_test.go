package winrm_test

import (
	"bytes"
	"testing"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest"
	"kinit/engine/transport/winrm"
	"kinit/test/winsim/nodetest"
)

// reach is a config for a simulated node, over HTTPS with Basic or HTTP with NTLM.
func reach(n *nodetest.Node, auth string) winrm.Config {
	c := winrm.Config{Name: "win1", Address: "127.0.0.1", Auth: auth, User: nodetest.User, Password: nodetest.Password}
	if auth == winrm.NTLM {
		c.Port = n.HTTP
		return c
	}
	c.Port, c.Certificate = n.HTTPS, n.Trust
	return c
}

func TestConn(t *testing.T) {
	t.Parallel()
	for _, auth := range []string{winrm.Basic, winrm.NTLM} {
		t.Run(auth, func(t *testing.T) {
			t.Parallel()
			node := nodetest.Start(t)
			const noDial = "WinRM carries no connections"
			lacks := map[string]string{"dial/tcp": noDial, "dial/tcp by name": noDial}
			open := func(t *testing.T) transport.Conn { return dial(t, reach(node, auth)) }
			if auth == winrm.NTLM { // a further way to the same machine
				transporttest.SampleWindows(t, 0, lacks, open)
				return
			}
			transporttest.RunWindows(t, lacks, open)
		})
	}
}

// BenchmarkWrite measures replacing a file of 16 MiB on a simulated node, whose
// PowerShell compares its sum.
func BenchmarkWrite(b *testing.B) {
	node := nodetest.Start(b)
	for _, auth := range []string{winrm.Basic, winrm.NTLM} {
		b.Run(auth, func(b *testing.B) {
			conn, err := winrm.Dial(b.Context(), reach(node, auth))
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			files, err := conn.Files(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			content := make([]byte, 16<<20)
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if err := files.Write(b.Context(), "C:/benchmark", bytes.NewReader(content), module.Attr{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
