// Package nft runs nft on a host and looks up its tables.
package nft

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// TableMark is the kind of the mark of a table; the ID is its family and name
// with a space between.
const TableMark = "nft_table"

// Run runs nft with a text on standard input.
func Run(ctx context.Context, h module.Host, stdin string, args ...string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"nft"}, args...), Stdin: strings.NewReader(stdin)})
	if err != nil {
		return "", fmt.Errorf("nft %s: %w", strings.Join(args, " "), err)
	}
	return out.Stdout, nil
}

// Exists searches the list of all tables, because nft has no exit code for a missing one.
func Exists(ctx context.Context, h module.Host, family, name string) (bool, error) {
	text, err := Run(ctx, h, "", "--json", "list", "tables")
	if err != nil {
		return false, err
	}
	var list struct {
		Objects []struct {
			Table *struct{ Family, Name string }
		} `json:"nftables"`
	}
	if err := bounds.DecodeJSON([]byte(text), &list); err != nil {
		return false, fmt.Errorf("read the list of nft tables: %w", err)
	}
	for _, object := range list.Objects {
		if object.Table != nil && object.Table.Family == family && object.Table.Name == name {
			return true, nil
		}
	}
	return false, nil
}

// OwnerComment begins the comment of a table of kinit; the signature of its owner follows.
const OwnerComment = "kinit.owner="

// Owner returns the signature in the comment of a table in nft's output; empty if there is
// none, as on kernels without comments.
func Owner(table string) string {
	_, after, _ := strings.Cut(table, "\n\tcomment \""+OwnerComment)
	owner, _, _ := strings.Cut(after, "\"")
	return owner
}

// Delete removes a table with all its content. A missing table is not an error.
func Delete(ctx context.Context, h module.Host, family, name string) error {
	exists, err := Exists(ctx, h, family, name)
	if err != nil || !exists {
		return err
	}
	_, err = Run(ctx, h, "", "delete", "table", family, name)
	return err
}
