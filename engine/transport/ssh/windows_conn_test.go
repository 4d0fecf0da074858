package ssh_test

import (
	"testing"

	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest"
	"kinit/test/winsim/nodetest"
)

func TestConnToWindows(t *testing.T) {
	t.Parallel()
	node := nodetest.Start(t)
	transporttest.SampleWindows(t, 1, nil, func(t *testing.T) transport.Conn { // the same scripts as over WinRM, where all of it runs
		return dial(t, ssh.Config{
			Name: "win1", Address: "127.0.0.1", Port: node.SSH, User: nodetest.User, Windows: true,
			PrivateKeys: []secret.Value{secret.Value(node.Key)}, HostKeys: []string{node.HostKey},
		})
	})
}
