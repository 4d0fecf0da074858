package containerd

import (
	"fmt"
	"strconv"
	"strings"
)

// tomlValue is a value of a configuration: a text, or a list of texts. Others are kept
// as they are written.
type tomlValue struct {
	text string
	list []string
}

// parseTOML reads the part of TOML that containerd's configuration is written in:
// tables, and keys with a text, a number, a boolean or a list of texts. The keys are
// full paths, such as plugins.io.containerd.grpc.v1.cri.containerd.
func parseTOML(text string) (map[string]tomlValue, error) {
	all := map[string]tomlValue{}
	table := ""
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(strings.TrimSuffix(lines[i], "\r"))
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			name, ok := tableName(line)
			if !ok {
				return nil, fmt.Errorf("(%d, 1): unexpected %q", i+1, line)
			}
			table = name
			continue
		}
		key, rest, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("(%d, 1): expected key = value", i+1)
		}
		rest = strings.TrimSpace(rest)
		for strings.HasPrefix(rest, "[") && !strings.HasSuffix(rest, "]") && i+1 < len(lines) {
			i++
			rest += strings.TrimSpace(lines[i])
		}
		value, err := parseValue(rest)
		if err != nil {
			return nil, fmt.Errorf("(%d, 1): %w", i+1, err)
		}
		all[strings.TrimPrefix(table+"."+unquoteKey(key), ".")] = value
	}
	return all, nil
}

// tableName is the name in [a."b.c"] without brackets and quotes.
func tableName(line string) (string, bool) {
	line, _, _ = strings.Cut(line, " #")
	name, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimSpace(line), "["), "]")
	return unquoteKey(strings.Trim(name, "[]")), ok
}

func unquoteKey(key string) string {
	return strings.NewReplacer(`"`, "", `'`, "", " ", "").Replace(strings.TrimSpace(key))
}

func parseValue(text string) (tomlValue, error) {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok {
			return tomlValue{}, fmt.Errorf("unterminated list %q", text)
		}
		var list []string
		for part := range strings.SplitSeq(inner, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			value, err := parseValue(part)
			if err != nil {
				return tomlValue{}, err
			}
			list = append(list, value.text)
		}
		return tomlValue{list: list}, nil
	}
	if strings.HasPrefix(text, `'`) {
		inner, rest, ok := strings.Cut(text[1:], `'`)
		if !ok || strings.TrimSpace(commentless(rest)) != "" {
			return tomlValue{}, fmt.Errorf("broken text %s", text)
		}
		return tomlValue{text: inner}, nil
	}
	if strings.HasPrefix(text, `"`) {
		value, err := strconv.Unquote(strings.TrimSpace(commentless(text)))
		if err != nil {
			return tomlValue{}, fmt.Errorf("broken text %s: backslashes must be doubled", text)
		}
		return tomlValue{text: value}, nil
	}
	return tomlValue{text: strings.TrimSpace(commentless(text))}, nil
}

// commentless cuts a comment off that follows a value.
func commentless(text string) string {
	if i := strings.LastIndex(text, " #"); i >= 0 && !strings.Contains(text[i:], `"`) {
		return text[:i]
	}
	return text
}

// defaultContainerd is what "containerd config default" prints, as far as it matters
// for a node.
func defaultContainerd() string {
	return `version = 3
root = 'C:\ProgramData\containerd\root'
state = 'C:\ProgramData\containerd\state'

[grpc]
  address = '\\.\pipe\containerd-containerd'

[plugins]
  [plugins.'io.containerd.cri.v1.images']
    [plugins.'io.containerd.cri.v1.images'.pinned_images]
      sandbox = 'registry.k8s.io/pause:3.10.1'

  [plugins.'io.containerd.cri.v1.runtime']
    [plugins.'io.containerd.cri.v1.runtime'.cni]
      bin_dirs = ['C:\Program Files\containerd\cni\bin']
      conf_dir = 'C:\Program Files\containerd\cni\conf'
`
}
