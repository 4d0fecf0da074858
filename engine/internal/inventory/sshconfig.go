package inventory

import (
	"os"
	"path/filepath"
	"strings"

	"kinit/engine/internal/spec"
)

// includeDepth is how deep includes may be nested; it is OpenSSH's limit.
const includeDepth = 16

// sshHosts lists the patterns of the Host lines of ~/.ssh/config, without those
// that match every name or leave names out. Without the file there are none.
func sshHosts(home string) []string {
	return hostLines(spec.Sources{Cwd: filepath.Join(home, ".ssh"), Home: home}, "config", 0)
}

// hostLines reads a file. Those of an Include line are relative to ~/.ssh.
func hostLines(ssh spec.Sources, file string, depth int) (patterns []string) {
	text, err := os.ReadFile(ssh.Abs(file))
	if err != nil || depth > includeDepth {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.Replace(line, "=", " ", 1))
		for _, word := range words[min(1, len(words)):] {
			word = strings.Trim(word, `"`)
			switch keyword := strings.ToLower(words[0]); {
			case keyword == "include":
				files, _ := filepath.Glob(ssh.Abs(ssh.Expand(word)))
				for _, included := range files {
					patterns = append(patterns, hostLines(ssh, included, depth+1)...)
				}
			case keyword == "host" && !strings.HasPrefix(word, "!") && strings.Trim(word, "*?") != "":
				patterns = append(patterns, word)
			}
		}
	}
	return patterns
}
