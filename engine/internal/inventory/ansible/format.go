package ansible

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"kinit/engine/internal/vault"
)

// Format is how a file is written.
type Format string

// The formats.
const (
	HCL           Format = "HCL"
	INIFormat     Format = "INI"
	YAMLFormat    Format = "YAML"
	JSONFormat    Format = "JSON"
	Script        Format = "a script"
	NoScript      Format = "a script that is not executable"
	EncryptedFile Format = "encrypted by Ansible Vault"
)

// Detect tells the format of a file by its name, its first bytes and whether it is
// executable. It looks at these in this order, and at nothing else:
//
//  1. a name that ends in .hcl is HCL;
//  2. what begins with $ANSIBLE_VAULT; is encrypted;
//  3. what begins with #! or is a program for Linux (ELF) is a script, when it is
//     executable;
//  4. .yml and .yaml are YAML, .json is JSON, .ini and .cfg are INI;
//  5. else the first line that is no comment decides: a "host" or "group" block or
//     "vars =" is HCL, a brace is JSON, three dashes or a line that ends in a colon
//     is YAML, and everything else is INI.
func Detect(name string, text []byte, executable bool) Format {
	ext := strings.ToLower(filepath.Ext(name))
	if ext == ".hcl" {
		return HCL
	}
	if vault.Encrypted(text) {
		return EncryptedFile
	}
	if bytes.HasPrefix(text, []byte("#!")) || bytes.HasPrefix(text, []byte("\x7fELF")) {
		if executable {
			return Script
		}
		return NoScript
	}
	switch ext {
	case ".yml", ".yaml":
		return YAMLFormat
	case ".json":
		return JSONFormat
	case ".ini", ".cfg":
		return INIFormat
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		switch {
		case len(line) == 0 || line[0] == '#' || line[0] == ';' || bytes.HasPrefix(line, []byte("//")):
			continue
		case line[0] == '{':
			return JSONFormat
		case hclLine.Match(line):
			return HCL
		case yamlLine.Match(line):
			return YAMLFormat
		}
		return INIFormat
	}
	return INIFormat
}

// The first lines that formats begin with.
var (
	hclLine  = regexp.MustCompile(`^(host|group)\s+"[^"]*"\s*\{|^vars\s*=\s*\{`)
	yamlLine = regexp.MustCompile(`^---(\s|$)|^%YAML|^("[^"]*"|'[^']*'|[^\s\[\]{}="']+):(\s|$)`)
)

// passedOver are the endings of files in a folder of inventories that are none, as
// Ansible has them: .ini and .cfg are there for the configuration of scripts.
const passedOver = " .pyc .pyo .swp .bak .rpm .md .txt .rst .orig .ini .cfg .retry "

// IsPassedOver reports whether a file or folder in a folder of inventories is none of
// them, by its name.
func IsPassedOver(name string) bool {
	ext := filepath.Ext(name)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == groupVars || name == hostVarsFolder ||
		ext != "" && strings.Contains(passedOver, " "+ext+" ")
}
