package core

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
)

func pathCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "Join-Path", Parameters: []interp.Parameter{
			{Name: "Path", Type: "string", Position: 1, Mandatory: true, Pipeline: true}, {Name: "ChildPath", Type: "string", Position: 2, Mandatory: true},
		}, Run: joinPath},
		{Name: "Split-Path", Parameters: []interp.Parameter{
			{Name: "Path", Aliases: []string{"LiteralPath"}, Type: "string", Position: 1, Mandatory: true, Pipeline: true},
			{Name: "Parent", Type: "switch"}, {Name: "Leaf", Type: "switch"}, {Name: "Qualifier", Type: "switch"},
			{Name: "NoQualifier", Type: "switch"}, {Name: "IsAbsolute", Type: "switch"},
		}, Run: splitPath},
	}
}

// joinPath joins with one backslash. The drive must be there in the real one.
func joinPath(ctx context.Context, c *interp.Call) error {
	parent := strings.ReplaceAll(c.String("Path"), "/", `\`)
	child := strings.ReplaceAll(c.String("ChildPath"), "/", `\`)
	return c.WriteObject(ctx, strings.TrimSuffix(parent, `\`)+`\`+strings.TrimPrefix(child, `\`))
}

func splitPath(ctx context.Context, c *interp.Call) error {
	path := strings.TrimRight(strings.ReplaceAll(c.String("Path"), "/", `\`), `\`)
	drive, rest := "", path
	if len(path) >= 2 && path[1] == ':' {
		drive, rest = path[:2], path[2:]
	}
	at := strings.LastIndexByte(rest, '\\')
	switch {
	case c.Bool("Leaf"):
		return c.WriteObject(ctx, rest[at+1:])
	case c.Bool("Qualifier"):
		if drive == "" {
			return unknown.New("Split-Path -Qualifier of a path without a drive")
		}
		return c.WriteObject(ctx, drive)
	case c.Bool("NoQualifier"):
		return c.WriteObject(ctx, rest)
	case c.Bool("IsAbsolute"):
		return c.WriteObject(ctx, drive != "")
	case at < 0:
		return c.WriteObject(ctx, "")
	case at == 0 && drive != "":
		return c.WriteObject(ctx, drive+`\`)
	}
	return c.WriteObject(ctx, drive+rest[:at])
}
