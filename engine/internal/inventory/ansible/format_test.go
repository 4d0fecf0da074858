package ansible

import "testing"

func TestDetect(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, text string
		executable bool
		want       Format
	}{
		"an ending for HCL":                    {"i.hcl", "[web]\n", false, HCL},
		"an executable HCL file":               {"i.hcl", "#!/bin/sh\n", true, HCL},
		"a script":                             {"hosts.py", "#!/usr/bin/python3\n", true, Script},
		"a program":                            {"hosts", "\x7fELF\x02", true, Script},
		"a script that is not executable":      {"hosts.py", "#!/usr/bin/python3\n", false, NoScript},
		"an executable file that is no script": {"hosts", "[web]\na\n", true, INIFormat},
		"a script named like YAML":             {"hosts.yml", "#!/bin/sh\n", true, Script},
		"an encrypted file":                    {"hosts.yml", "$ANSIBLE_VAULT;1.1;AES256\n", false, EncryptedFile},
		"an ending for YAML":                   {"hosts.yaml", "[web]\n", false, YAMLFormat},
		"an ending for JSON":                   {"hosts.JSON", "all:\n", false, JSONFormat},
		"an ending for INI":                    {"hosts.ini", "---\nall:\n", false, INIFormat},
		"a section":                            {"hosts", "# c\n\n[web]\n", false, INIFormat},
		"a host":                               {"hosts", "web1 a=b\n", false, INIFormat},
		"a host with an odd ending":            {"hosts.example.com", "web1:22\n", false, INIFormat},
		"an IPv6 address":                      {"hosts", "2001:db8::1\n", false, INIFormat},
		"three dashes":                         {"hosts", "; c\n---\n", false, YAMLFormat},
		"a map":                                {"hosts", "all:\n  hosts:\n", false, YAMLFormat},
		"a map with quotes":                    {"hosts", "\"all\": {}\n", false, YAMLFormat},
		"a brace":                              {"hosts", "\ufeff {\"all\": {}}", false, JSONFormat},
		"an HCL host":                          {"hosts", "// c\nhost \"a\" {\n}\n", false, HCL},
		"HCL variables":                        {"hosts", "vars = {\n}\n", false, HCL},
		"an INI host that is named host":       {"hosts", "host vars=5\n", false, INIFormat},
		"nothing":                              {"hosts", "\n# c\n", false, INIFormat},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Detect(test.name, []byte(test.text), test.executable); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestFilesThatAFolderOfInventoriesPassesOver(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"hosts": false, "hosts.yml": false, "web1.example.com": false, "hosts.csv": false, "ini": false, "group_vars_old": false,
		".git": true, "hosts~": true, "ec2.ini": true, "ansible.cfg": true, "hosts.bak": true, "README.md": true, "group_vars": true, "host_vars": true,
	} {
		if got := IsPassedOver(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
