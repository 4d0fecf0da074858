package wine

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// framework are calls of .NET Framework that .NET has elsewhere.
var framework = strings.NewReplacer(
	"[IO.File]::Create($temporary, 65536, [IO.FileOptions]::None, $security)",
	"[IO.FileSystemAclExtensions]::Create([IO.FileInfo]::new($temporary), [IO.FileMode]::Create, [Security.AccessControl.FileSystemRights]::FullControl, [IO.FileShare]::None, 65536, [IO.FileOptions]::None, $security)",
	"[IO.File]::SetAccessControl($Path, $security)", "[IO.FileSystemAclExtensions]::SetAccessControl([IO.FileInfo]::new($Path), $security)",
	"[IO.Directory]::SetAccessControl($Path, $security)", "[IO.FileSystemAclExtensions]::SetAccessControl([IO.DirectoryInfo]::new($Path), $security)",
	"[IO.Directory]::CreateDirectory($folder, $security)", "[IO.FileSystemAclExtensions]::CreateDirectory($security, $folder)",
)

// asFramework replaces these in a script that kinit sends at the beginning of an input: its length in 8
// digits, and the script in base64. Another input stays as it is.
func asFramework(input io.Reader) io.Reader {
	b := bufio.NewReader(input)
	digits, err := b.Peek(8)
	var length int
	if _, scan := fmt.Sscanf(string(digits), "%8d", &length); err != nil || scan != nil {
		return b
	}
	_, _ = b.Discard(8) // they are there
	encoded := make([]byte, length)
	n, err := io.ReadFull(b, encoded)
	script, decode := base64.StdEncoding.DecodeString(string(encoded[:n]))
	if err != nil || decode != nil {
		return io.MultiReader(strings.NewReader(string(digits)+string(encoded[:n])), b)
	}
	replaced := base64.StdEncoding.EncodeToString([]byte(framework.Replace(string(script))))
	return io.MultiReader(strings.NewReader(fmt.Sprintf("%08d%s", len(replaced), replaced)), b)
}
