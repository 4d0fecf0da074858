package local_test

import (
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/transporttest"
)

func TestConn(t *testing.T) {
	transporttest.Run(t, func(*testing.T) transport.Conn { return local.New() })
}
