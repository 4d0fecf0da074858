package ovn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/ovn-org/libovsdb/ovsdb"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// Running reports whether a database answers on the host. A stopped one that
// still has rows of the owner is an error: they would take effect again at the
// next start, so they must not count as removed.
func Running(ctx context.Context, h module.Host, db Database) (bool, error) {
	there, err := Exists(ctx, h, db)
	if err != nil || there || h.Owner() == "" {
		return there, err
	}
	if _, err := h.Files().Stat(ctx, db.File); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	left, err := db.stored(ctx, h)
	if err == nil && left > 0 {
		err = fmt.Errorf("%s on %s is stopped and still has %d rows of cluster %s; start %s and try again", db.Name, h.Name(), left, h.Owner(), db.Need)
	}
	return false, err
}

// stored counts the owner's rows in the file of a stopped database.
func (db Database) stored(ctx context.Context, h module.Host) (int, error) {
	query, err := json.Marshal(db.selection())
	if err != nil {
		return 0, err
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"ovsdb-tool", "query", db.File, string(query)}})
	if module.Exited(err, 127) {
		return 0, nil // the program that could start it again is uninstalled
	}
	if err != nil {
		return 0, fmt.Errorf("look into %s, which is stopped: %w; start %s and try again", db.File, err, db.Need)
	}
	var answers []ovsdb.OperationResult
	if err := json.Unmarshal([]byte(out.Stdout), &answers); err != nil {
		return 0, fmt.Errorf("read the output of ovsdb-tool: %w", err)
	}
	count := 0
	for _, answer := range answers {
		for _, row := range answer.Rows {
			found, _ := row["external_ids"].(ovsdb.OvsMap)
			ids := map[string]string{}
			for key, value := range found.GoMap {
				ids[fmt.Sprint(key)] = fmt.Sprint(value)
			}
			if isMarked(ids, ownership.Signature(h)) {
				count++
			}
		}
	}
	return count, nil
}

// selection is the transaction that reads external_ids of every table with it. A
// selection has equal rows only once, so it takes their UUIDs along.
func (db Database) selection() []any {
	all := []any{db.Name}
	for _, table := range slices.Sorted(maps.Keys(db.tables)) {
		if slices.Contains(columns(db.tables[table]), "external_ids") {
			all = append(all, ovsdb.Operation{Op: ovsdb.OperationSelect, Table: table, Columns: []string{"_uuid", "external_ids"}})
		}
	}
	return all
}
