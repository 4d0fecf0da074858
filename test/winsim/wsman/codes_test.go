package wsman

import (
	"strings"
	"testing"

	"kinit/test/winsim/wsman/internal/soap"
)

func TestEveryCodeHasAFaultOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, code := range []uint32{
		CodeAccessDenied, CodeInvalidParameter, CodeAborted, CodeFileNotFound, CodeOutOfMemory, CodeNotReady, CodeLineTooLong,
		CodePipeCloses, CodeProfileUnloads, CodeTooManyProcesses, CodeUnknownResource, CodeInvalidHeader, CodeUnknownAction,
		CodeTimedOut, CodeBusy, CodeEncodingLimit, CodeSchema, CodeUnknownSelectors, CodeTooManyShells, CodeTooManyOperations, CodeTooManyUsers,
	} {
		if text := string(soap.FaultOf(code).Encode("", "en-US", "WIN")); strings.Contains(text, "because of an internal error") {
			t.Errorf("%d is an internal error", code)
		}
	}
}
