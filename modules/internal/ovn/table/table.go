// Package table has what the rows of all databases of OVN and Open vSwitch have in common.
package table

import "slices"

// SSL is the one row of SSL: paths on the host.
type SSL struct {
	UUID        string            `ovsdb:"_uuid"`
	PrivateKey  string            `ovsdb:"private_key"`
	Certificate string            `ovsdb:"certificate"`
	CACert      string            `ovsdb:"ca_cert"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Only returns the row of a table for one row, an empty one if it is not there.
func Only[T any](rows []T) T {
	row, _ := First(rows, func(T) bool { return true })
	return row
}

// First returns the first of the rows for which is returns true.
func First[T any](rows []T, is func(T) bool) (row T, found bool) {
	i := slices.IndexFunc(rows, is)
	if i < 0 {
		return row, false
	}
	return rows[i], true
}

// Where returns the rows for which is returns true.
func Where[T any](rows []T, is func(T) bool) []T {
	var found []T
	for _, row := range rows {
		if is(row) {
			found = append(found, row)
		}
	}
	return found
}
