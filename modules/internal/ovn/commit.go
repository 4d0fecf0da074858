package ovn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovn-org/libovsdb/client"
	"github.com/ovn-org/libovsdb/ovsdb"

	"kinit/engine/pace"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/table"
	"kinit/modules/internal/ovn/vs"
)

// applyLimit limits the wait for ovs-vswitchd to make a change if the task has no
// deadline. It needs milliseconds, seconds on a busy host.
const applyLimit = 30 * time.Second

// errRace means that another row with that name was added while the task decided.
var errRace = errors.New("another client changed the database at the same time")

// onlyRow is ovsdb-server's error for a transaction that makes a second row in a
// table for one. A new database has no such row yet, and a client that finds none makes it:
// two tasks at once, or ovn-northd and a task. The server reports the error at commit,
// without a failed operation.
const onlyRow = "greater than the schema-defined limit of"

// answers is a server's answers to a transaction's operations.
type answers struct {
	ops     []ovsdb.Operation
	results []ovsdb.OperationResult
}

func (s *Replica) transact(ctx context.Context, edits []Edit) (answers, error) {
	ops, err := operations(s.conn, edits)
	if err != nil {
		return answers{}, fmt.Errorf("bug in kinit: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	results, err := s.conn.Transact(limited, ops...)
	if err != nil {
		return answers{}, err
	}
	failed, err := ovsdb.CheckOperationResults(results, ops)
	if err != nil {
		return answers{}, failure(failed, err)
	}
	return answers{ops, results}, nil
}

// failure lists the operations that the server refused.
func failure(failed []ovsdb.OperationError, err error) error {
	var texts []string
	for _, f := range failed {
		var late *ovsdb.TimedOut
		if errors.As(f, &late) {
			return errRace
		}
		where := ""
		if op := f.Operation(); op != nil {
			where = op.Op + " " + op.Table + ": "
		}
		texts = append(texts, where+f.Error())
	}
	if len(texts) == 0 && strings.Contains(err.Error(), onlyRow) {
		return fmt.Errorf("%w: %w", errRace, err)
	}
	if len(texts) == 0 {
		return err
	}
	return errors.New(strings.Join(texts, "; "))
}

// commitPlain sends the edits as they are.
func commitPlain(ctx context.Context, s *Replica, edits []Edit) error {
	_, err := s.transact(ctx, edits)
	return err
}

// commitNorthbound counts nb_cfg up in the same transaction, as ovn-nbctl does.
func commitNorthbound(ctx context.Context, s *Replica, edits []Edit) error {
	var rows struct{ Globals []nb.Global }
	if err := s.Read(ctx, &rows); err != nil {
		return err
	}
	global, next := table.Only(rows.Globals), Insert(&nb.Global{NbCfg: 1})
	if global.UUID != "" { // else no ovn-nbctl and no ovn-northd has opened this database yet
		next = count(&global, &global.NbCfg)
	}
	return commitPlain(ctx, s, append(edits, next))
}

// commitSwitch increments next_cfg in the same transaction and waits until
// ovs-vswitchd reports that it has caught up, as ovs-vsctl does.
func commitSwitch(ctx context.Context, s *Replica, edits []Edit) error {
	var rows vs.Rows
	if err := s.Read(ctx, &rows); err != nil {
		return err
	}
	root := rows.Root()
	if root.UUID == "" {
		return errors.New("it is empty: start the openvswitch-switch service once, which makes its first row")
	}
	ask := func(client.API) ([]ovsdb.Operation, error) {
		return []ovsdb.Operation{{Op: ovsdb.OperationSelect, Table: "Open_vSwitch", Columns: []string{"next_cfg"}}}, nil
	}
	got, err := s.transact(ctx, append(edits, count(&root, &root.NextCfg), ask))
	if err != nil {
		return err
	}
	want, err := got.nextCfg()
	if err != nil {
		return err
	}
	if err := s.applied(ctx, want, &rows); err != nil {
		return err
	}
	return got.devices(rows)
}

// nextCfg returns the counter after the transaction, from its last operation.
func (a answers) nextCfg() (int, error) {
	last := a.results[len(a.results)-1]
	if len(last.Rows) == 1 {
		if number, ok := last.Rows[0]["next_cfg"].(float64); ok {
			return int(number), nil
		}
	}
	return 0, fmt.Errorf("bug in kinit: next_cfg not found in %v", last.Rows)
}

// devices returns ovs-vswitchd's errors for the new interfaces.
func (a answers) devices(rows vs.Rows) error {
	for i, op := range a.ops {
		if op.Op != ovsdb.OperationInsert || op.Table != "Interface" {
			continue
		}
		for _, device := range rows.Interfaces {
			if device.UUID == a.results[i].UUID.GoUUID && device.Error != nil {
				return fmt.Errorf("ovs-vswitchd cannot set up %s: %s", device.Name, *device.Error)
			}
		}
	}
	return nil
}

// applied waits until ovs-vswitchd has made change number want, and then reads the
// rows.
func (s *Replica) applied(ctx context.Context, want int, rows *vs.Rows) error {
	limited, cancel := context.WithTimeout(ctx, applyLimit)
	defer cancel()
	err := s.Wait(limited, func() (bool, error) {
		if err := s.Read(ctx, rows); err != nil {
			return false, err
		}
		return rows.Root().CurCfg >= want, nil
	})
	if err == nil || errors.Is(ctx.Err(), context.Canceled) && !pace.Passed(ctx) {
		return err
	}
	return fmt.Errorf("written, but ovs-vswitchd has made only change %d of %d: %w; is ovs-vswitchd running? See /var/log/openvswitch/ovs-vswitchd.log",
		rows.Root().CurCfg, want, err)
}
