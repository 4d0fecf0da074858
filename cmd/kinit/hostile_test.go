//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/engine/transport/transporttest/hostile"
	"kinit/test/executable"
)

// mostForAHost is how much memory a host may make kinit take beyond what it takes without that
// host, in bytes.
const mostForAHost = 64 << 20

// attack is a hostile server, a task on it, and what is said of it.
type attack struct {
	hostile.Behaviour
	task, says string
}

// floodTime is the time limit of a task whose host floods the connection and does its work
// nevertheless.
const floodTime = `timeout = "4s"`

const (
	commandTask = "task \"command\" \"x\" {\n " + floodTime + "\n argv = [\"sleep\", \"600\"]\n}"
	statTask    = "task \"stat\" \"x\" {\n " + floodTime + "\n path = \"/etc/hostname\"\n}"
	listTask    = "task \"local_facts\" \"x\" {\n timeout = \"30s\"\n folders = [\"/etc/kinit/facts.d\"]\n}"
	readTask    = "task \"read_file\" \"x\" {\n " + floodTime + "\n path = \"/etc/hostname\"\n}"
)

// long is a text of one packet.
var long = strings.Repeat("x", 30_000)

// message is a packet of the protocol: a type, and texts, numbers and booleans.
func message(kind byte, parts ...any) []byte {
	b := bytes.NewBuffer([]byte{kind})
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			_ = binary.Write(b, binary.BigEndian, uint32(len(part)))
			b.WriteString(part)
		default:
			_ = binary.Write(b, binary.BigEndian, part)
		}
	}
	return b.Bytes()
}

// before is a server that sends something after its version, before there are keys.
func before(name string, payload []byte) attack {
	return attack{Behaviour: hostile.Behaviour{Name: name, Greet: func(conn net.Conn) {
		_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
		hostile.Flood(conn, hostile.Packet(payload))
	}}, task: commandTask, says: "connect to far"}
}

// beside is a server that works, and floods the connection with a message.
func beside(name, says string, payload []byte) attack {
	return attack{Behaviour: hostile.Behaviour{Name: name, Connected: func(c *hostile.Conn) { c.Repeat(payload) }}, task: commandTask, says: says}
}

func attacks() []attack {
	kexinit := message(20, [16]byte{}, "curve25519-sha256", "ssh-ed25519", "aes128-ctr", "aes128-ctr", "hmac-sha2-256", "hmac-sha2-256", "none", "none", "", "", false, uint32(0))
	lists := message(20, [16]byte{}, strings.Repeat("a,", 15_000), "ssh-ed25519", "", "", "", "", "", "", "", "", false, uint32(0))
	all := []attack{
		{hostile.Behaviour{Name: "lines before the version", Greet: func(conn net.Conn) { hostile.Flood(conn, []byte(strings.Repeat("x", 200)+"\r\n")) }}, commandTask, "connect to far"},
		{hostile.Behaviour{Name: "a version without end", Greet: func(conn net.Conn) {
			_, _ = io.WriteString(conn, "SSH-2.0-")
			hostile.Flood(conn, []byte(long))
		}}, commandTask, "connect to far"},
		{hostile.Behaviour{Name: "a packet that is too long", Greet: func(conn net.Conn) {
			_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n\x7f\xff\xff\xff\x04\x14")
			hostile.Flood(conn, []byte(long))
		}}, commandTask, "connect to far"},
		before("key exchanges", kexinit),
		before("long lists of algorithms", lists),
		before("ignored messages before keys", message(2, long)),
		before("debug messages before keys", message(4, true, long, "")),
		before("a disconnect with a long reason", message(1, uint32(2), long, "")),
		{hostile.Behaviour{Name: "banners", Configure: func(c *ssh.ServerConfig) {
			c.PreAuthConnCallback = func(conn ssh.ServerPreAuthConn) {
				go func() {
					for conn.SendAuthBanner(long) == nil {
					}
				}()
			}
			c.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
				time.Sleep(time.Second)
				return nil, hostile.ErrNever
			}
		}}, commandTask, "far"},
		{hostile.Behaviour{Name: "partial success without end", Configure: func(c *ssh.ServerConfig) {
			var again func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error)
			again = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
				return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{PublicKeyCallback: again}}
			}
			c.PublicKeyCallback = again
		}}, commandTask, "far"},
		beside("global requests", "timed out", message(80, "x@example.com", false, long)),
		beside("global requests that want an answer", "", message(80, "x@example.com", true, long)),
		beside("answers to no request", "timed out", message(81, long)),
		beside("refusals of no request", "timed out", message(82)),
		beside("channels", "", message(90, "x@example.com", uint32(7), uint32(1<<20), uint32(1<<15), long)),
		beside("forwarded channels", "", message(90, "forwarded-tcpip", uint32(7), uint32(1<<20), uint32(1<<15), "1.2.3.4", uint32(1), "1.2.3.4", uint32(1))),
		beside("ignored messages", "timed out", message(2, long)),
		beside("debug messages", "timed out", message(4, true, long, "")),
		beside("unimplemented messages", "", message(3, uint32(1))),
		beside("pings", "", message(192, long)),
		beside("messages of unknown types", "", message(250, long)),
		beside("data of no channel", "", message(94, uint32(999), long)),
		beside("openings of no channel", "", message(91, uint32(999), uint32(1), uint32(1<<20), uint32(1<<15))),
		{hostile.Behaviour{Name: "new keys without end", Configure: func(c *ssh.ServerConfig) { c.RekeyThreshold = 256 }, Connected: func(c *hostile.Conn) {
			c.Repeat(message(2, long))
		}}, commandTask, ""},
		besideSession("requests of a session", "timed out", func(id uint32) []byte { return message(98, id, "x@example.com", false, long) }),
		besideSession("more window", "", func(id uint32) []byte { return message(93, id, uint32(1)) }),
		besideSession("extended data of an unknown type", "timed out", func(id uint32) []byte { return message(95, id, uint32(7), long) }),
		besideSession("data beyond the window", "", func(id uint32) []byte { return message(94, id, long) }),
		besideSession("single bytes", "", func(id uint32) []byte { return message(94, id, "x") }),
		besideSession("single bytes of standard error", "", func(id uint32) []byte { return message(95, id, uint32(1), "x") }),
		besideSession("signals with long messages", "", func(id uint32) []byte { return message(98, id, "exit-signal", false, "TERM", false, long, "") }),
		{hostile.Behaviour{Name: "a number without end", Shell: digits}, commandTask, "timed out"},
		{hostile.Behaviour{Name: "output before a command", Shell: func(c ssh.Channel) { hostile.Flood(c, []byte(long)) }}, commandTask, "did not begin within"},
	}
	return slices.Concat(all, fileAttacks(), jsonAttacks())
}

// besideSession is a server that works, and floods each session with a message.
func besideSession(name, says string, packet func(id uint32) []byte) attack {
	return attack{Behaviour: hostile.Behaviour{Name: name, Connected: func(c *hostile.Conn) {
		time.Sleep(700 * time.Millisecond) // until the shells are open
		var all sync.WaitGroup
		defer all.Wait()
		for id := range uint32(2) {
			all.Go(func() { c.Repeat(packet(id)) })
		}
	}}, task: commandTask, says: says}
}

// mark and nonce are what a shell must answer with.
var (
	mark  = regexp.MustCompile(`set -- '?([A-Z2-7]{26})`)
	nonce = regexp.MustCompile(`printf ([A-Z2-7]{26})S;`)
)

// digits is a shell that answers each command with a number without end.
func digits(c ssh.Channel) {
	var heard []byte
	for b, begun := make([]byte, 32<<10), false; ; {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		heard = append(heard, b[:n]...)
		if found := mark.FindSubmatch(heard); found != nil && !begun {
			begun = true
			_, _ = c.Write(found[1])
		}
		if found := nonce.FindSubmatch(heard); found != nil {
			_, _ = c.Write(append(found[1], 'S'))
			hostile.Flood(c, []byte(strings.Repeat("7", 30_000)))
			return
		}
	}
}

// file is an attack by answers of SFTP: to the kind of request, or to all if that is 0.
func file(name, task, says string, kind byte, answer func(id []byte) []byte) attack {
	return attack{hostile.Behaviour{Name: name, Files: func(asked byte, id []byte) []byte {
		if asked == kind || kind == 0 {
			return answer(id)
		}
		switch asked {
		case 3, 11: // open, opendir
			return append(append([]byte{102}, id...), message(0, "handle")[1:]...)
		case 7, 8, 17: // lstat, fstat, stat
			return append(append([]byte{105}, id...), message(0, uint32(5), uint64(1<<40), uint32(0o100644))[1:]...)
		}
		return append(append([]byte{101}, id...), message(0, uint32(0), "", "")[1:]...)
	}}, task, says}
}

func fileAttacks() []attack {
	huge := strings.Repeat("x", 250_000)
	answer := func(kind byte, parts ...any) func(id []byte) []byte {
		return func(id []byte) []byte { return append(append([]byte{kind}, id...), message(0, parts...)[1:]...) }
	}
	names := []any{uint32(5000)}
	for i := range 5000 {
		names = append(names, fmt.Sprint("f", i), "", uint32(0))
	}
	folder := file("names without end", listTask, "more entries than kinit lists", 12, answer(104, names...))
	asFolder := folder.Files
	folder.Files = func(kind byte, id []byte) []byte {
		if kind == 7 || kind == 17 {
			return answer(105, uint32(4), uint32(0o40755))(id)
		}
		return asFolder(kind, id)
	}
	version := []byte{2, 0, 0, 0, 3}
	for range 8000 {
		version = append(version, message(0, "extension", "1")[1:]...)
	}
	return []attack{
		folder,
		{hostile.Behaviour{Name: "a version of SFTP with many extensions", FirstFile: version}, statTask, "timed out"},
		file("a file without end", readTask, "", 5, answer(103, strings.Repeat("x", 32<<10))),
		file("more data than was asked for", readTask, "", 5, answer(103, huge)),
		file("a long reason of a failure", statTask, "", 0, answer(101, uint32(4), huge, "")),
		file("long handles", readTask, "", 3, answer(102, huge)),
		file("answers to requests that were not made", statTask, "", 0, func([]byte) []byte { return message(101, uint32(1<<30), uint32(0), "", "") }),
		file("a packet of SFTP that is too long", statTask, "", 0, answer(101, uint32(4), strings.Repeat("x", 300_000), "")),
		file("success alone", statTask, "without what it was asked for", 0, answer(101, uint32(0), "", "")),
	}
}

// jsonAttacks are programs on a host that works otherwise, and that print JSON of which modules take what they need.
func jsonAttacks() []attack {
	printing := func(name, says, first, more string) attack {
		return attack{hostile.Behaviour{Name: name}, fmt.Sprintf("task \"kubectl_drain\" \"x\" {\n node = \"x\"\n within = \"2s\"\n kubectl = \"DIR/program\"\n}\n"+
			"# printf '%%s' '%s'; yes '%s' | tr -d '\\n' | head -c 7900000; echo ']}'", first, more), says}
	}
	return []attack{
		printing("a list of empty objects", "it has more than 100000 values", `{"items":[{}`, `,{}`),
		printing("a list of objects with names", "it has more than", `{"items":[{}`, `,{"metadata":{"name":"a-name-of-usual-length"}}`),
		printing("labels", "it has more than", `{"metadata":{"labels":{"a":""}},"items":[""`, `,"a text of a usual length in a list"`),
		printing("one long text", "", `{"items":[],"metadata":{"name":"`, "x"),
	}
}

func newHostileRun(t *testing.T, b hostile.Behaviour, task string) *measuredCommand {
	t.Helper()
	server, dir := hostile.Start(t, b), t.TempDir()
	task = strings.ReplaceAll(task, "DIR", dir)
	if _, script, prints := strings.Cut(task, "\n# "); prints {
		executable.Write(t, filepath.Join(dir, "program"), "#!/bin/sh\n"+script+"\n")
	}
	put(t, dir, "site.hcl", strings.Replace(task, "{", "{\n host = run.hosts[0]\n", 1)+"\n")
	put(t, dir, "hosts.hcl", farHost(server.Port, login("root", server.KeyFile, server.HostKey), `connect_timeout = "3s"`))
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	t.Cleanup(cancel)
	return newMeasuredCommand(ctx, dir, "run", "site.hcl", "--hosts", "far", "--inventory", "hosts.hcl")
}

// TestHostileServersDoNotFillTheMemory runs kinit against servers that flood it with each type of message there
// is. A usual test run takes some of them.
func TestHostileServersDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	friendly := newHostileRun(t, hostile.Behaviour{}, "task \"command\" \"x\" {\n argv = [\"true\"]\n}")
	if err := friendly.Run(); err != nil {
		t.Fatalf("a server that works: %v\n%s", err, friendly.said.String())
	}
	base := friendly.most(t)
	usual := []string{"lines before the version", "key exchanges", "openings of no channel", "data beyond the window",
		"single bytes of standard error", "names without end", "a file without end", "success alone"}
	for _, a := range attacks() {
		if os.Getenv("KINIT_EVERY_FAULT") == "" && !slices.Contains(usual, a.Name) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			r := newHostileRun(t, a.Behaviour, a.task)
			begin := time.Now()
			if err := r.Run(); err == nil {
				t.Errorf("the run succeeded:\n%.3000s", r.said.String())
			}
			took := r.most(t) - base
			t.Logf("%d MiB more than a server that works, in %s", took>>20, time.Since(begin).Round(time.Second/10))
			if took > mostForAHost {
				t.Errorf("the host made kinit take %d MiB, want at most %d", took>>20, mostForAHost>>20)
			}
			if plain := strings.Join(strings.Fields(r.said.String()), " "); !strings.Contains(plain, a.says) {
				t.Errorf("it does not say %q:\n%.3000s", a.says, r.said.String())
			}
		})
	}
}
