package inventory

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// includeDepth is how deep includes may be nested; it is OpenSSH's limit.
const includeDepth = 16

// sshHosts lists the patterns of the Host lines of ~/.ssh/config, without those
// that match every name or leave names out. Without the file there are none.
func sshHosts(home string) []string {
	return hostLines(home, filepath.Join(home, ".ssh", "config"), 0)
}

func hostLines(home, file string, depth int) []string {
	text, err := os.ReadFile(file)
	if err != nil || depth > includeDepth {
		return nil
	}
	var patterns []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.Replace(line, "=", " ", 1))
		if len(words) < 2 {
			continue
		}
		switch strings.ToLower(words[0]) {
		case "host":
			patterns = append(patterns, named(words[1:])...)
		case "include":
			for _, included := range words[1:] {
				patterns = append(patterns, includedLines(home, included, depth+1)...)
			}
		}
	}
	return patterns
}

// named leaves out patterns that name no host.
func named(words []string) []string {
	var patterns []string
	for _, word := range words {
		word = strings.Trim(word, `"`)
		if strings.HasPrefix(word, "!") || strings.Trim(word, "*?") == "" {
			continue
		}
		patterns = append(patterns, word)
	}
	return patterns
}

// includedLines reads the files of an Include line, which are relative to ~/.ssh.
func includedLines(home, pattern string, depth int) []string {
	pattern = strings.Trim(pattern, `"`)
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(home, ".ssh", pattern)
	}
	files, _ := filepath.Glob(pattern)
	var patterns []string
	for _, file := range files {
		patterns = append(patterns, hostLines(home, file, depth)...)
	}
	return patterns
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
