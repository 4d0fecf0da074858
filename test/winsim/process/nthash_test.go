package process

import (
	"encoding/hex"
	"testing"
)

func TestNTHashIsTheSpecifications(t *testing.T) {
	t.Parallel()
	const want = "a4f49c406510bdcab6824ee7c30fd852" // MS-NLMP 4.2.2.1.2
	if got := hex.EncodeToString(NTHash("Password")); got != want {
		t.Errorf("NTHash %s, want %s", got, want)
	}
}
