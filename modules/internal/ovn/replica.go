package ovn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sort"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/ovn-org/libovsdb/cache"
	"github.com/ovn-org/libovsdb/client"
	"github.com/ovn-org/libovsdb/model"

	"kinit/engine/module"
	"kinit/modules/internal/relay"
)

// answerLimit limits the wait for a server's answer if the task has no deadline.
// It needs milliseconds, seconds while a cluster of servers elects a
// leader.
const answerLimit = 30 * time.Second

// Replica is a connection to one database with a copy of its rows that follows
// changes by others. One goroutine uses it.
type Replica struct {
	db      Database
	conn    client.Client
	relay   *relay.Relay
	changed chan struct{} // has a value after a row has changed
}

// Open connects to a host's database and reads all its rows. The replica must be
// closed.
func Open(ctx context.Context, h module.Host, db Database) (*Replica, error) {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	s, err := open(limited, h, db)
	if err == nil {
		return s, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, errTooMuch) {
		return nil, fmt.Errorf("read %s: %w", db.Name, errTooMuch)
	}
	if there, statErr := Exists(ctx, h, db); statErr == nil && !there {
		return nil, fmt.Errorf("connect to %s: no socket %s on %s; install and start %s there",
			db.Name, db.Socket, h.Name(), db.Need)
	}
	return nil, fmt.Errorf("connect to %s over %s: %w; is %s running?", db.Name, db.Socket, err, db.Need)
}

// Exists reports whether the database's socket exists. Without it, nothing in the database
// takes effect.
func Exists(ctx context.Context, h module.Host, db Database) (bool, error) {
	_, err := h.Files().Stat(ctx, db.Socket)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func open(ctx context.Context, h module.Host, db Database) (*Replica, error) {
	socket, err := h.Socket(ctx, db.Socket)
	if err != nil {
		return nil, err
	}
	schema, err := model.NewClientDBModel(db.Name, db.tables)
	if err != nil {
		return nil, err
	}
	r, err := relay.NewHeld(socket, &allowance{})
	if err != nil {
		return nil, err
	}
	quiet := logr.Discard()
	conn, err := client.NewOVSDBClient(schema, client.WithEndpoint("unix:"+r.Path()), client.WithLogger(&quiet))
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	s := &Replica{db: db, conn: conn, relay: r, changed: make(chan struct{}, 1)}
	if err := s.connect(ctx); err != nil {
		s.Close()
		return nil, errors.Join(r.Failure(), err)
	}
	return s, nil
}

// errEnded means that the server ended the connection before all rows were read.
var errEnded = errors.New("the connection ended")

// connect connects and reads all rows. The client does not learn that its connection has
// ended before it has begun: libovsdb 0.7 starts what handles the end before what that
// waits for, and may then read a cache that is gone (its pull request 497).
func (s *Replica) connect(ctx context.Context) error {
	begin, end := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-s.relay.Ended():
			end(errEnded)
		case <-begin.Done():
		}
	})
	err := s.conn.Connect(begin)
	end(nil)
	watch.Wait()
	s.relay.Release()
	if err == nil {
		return s.follow(ctx)
	}
	if ctx.Err() == nil && errors.Is(context.Cause(begin), errEnded) {
		return errEnded
	}
	return err
}

// follow reads all rows, and from now on their changes.
func (s *Replica) follow(ctx context.Context) error {
	rows := s.conn.Cache()
	if rows == nil {
		return errEnded
	}
	rows.AddEventHandler(&cache.EventHandlerFuncs{
		AddFunc:    func(string, model.Model) { s.signal() },
		UpdateFunc: func(string, model.Model, model.Model) { s.signal() },
		DeleteFunc: func(string, model.Model) { s.signal() },
	})
	monitor := s.conn.NewMonitor()
	for table, row := range s.db.tables {
		// Only the columns in use: Interface has statistics that change all the time.
		monitor.Tables = append(monitor.Tables, client.TableMonitor{Table: table, Fields: columns(row)})
	}
	_, err := s.conn.Monitor(ctx, monitor)
	return err
}

// signal records a change until it is read.
func (s *Replica) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// columns lists the columns of a row's struct, without its UUID.
func columns(row any) []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(row).Elem()) {
		if name := f.Tag.Get("ovsdb"); name != "_uuid" {
			names = append(names, name)
		}
	}
	return names
}

func (s *Replica) Close() {
	s.conn.Close()
	_ = s.relay.Close() // an empty folder that stays is harmless
}

// Read fills every slice of rows, a pointer to a struct such as nb.Rows. Rows come
// sorted by name.
func (s *Replica) Read(ctx context.Context, rows any) error {
	tables := reflect.ValueOf(rows).Elem()
	for i := range tables.NumField() {
		tables.Field(i).SetZero()
		if err := s.conn.List(ctx, tables.Field(i).Addr().Interface()); err != nil {
			return fmt.Errorf("read %s of %s: %w", tables.Type().Field(i).Name, s.db.Name, err)
		}
		sortRows(tables.Field(i))
	}
	return ctx.Err()
}

// sortRows sorts a slice of rows by name, and rows without one by UUID.
func sortRows(rows reflect.Value) {
	key := func(i int) string {
		name := rows.Index(i).FieldByName("Name")
		if !name.IsValid() {
			return rows.Index(i).FieldByName("UUID").String()
		}
		return name.String() + " " + rows.Index(i).FieldByName("UUID").String()
	}
	sort.Slice(rows.Interface(), func(i, j int) bool { return key(i) < key(j) })
}

// Commit makes the edits in one transaction, or none of them.
func (s *Replica) Commit(ctx context.Context, edits ...Edit) error {
	if len(edits) == 0 {
		return nil
	}
	if err := s.db.commit(ctx, s, edits); err != nil {
		return fmt.Errorf("change %s: %w", s.db.Name, err)
	}
	return nil
}

// Wait returns when done is true. It calls done again after each change of a row, and
// returns ctx's error when ctx ends.
func (s *Replica) Wait(ctx context.Context, done func() (bool, error)) error {
	return WaitBoth(ctx, s, s, done)
}

// WaitBoth is Wait for a condition that reads two databases.
func WaitBoth(ctx context.Context, a, b *Replica, done func() (bool, error)) error {
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.relay.Ended():
			return a.lost()
		case <-b.relay.Ended():
			return b.lost()
		case <-a.changed:
		case <-b.changed:
		}
	}
}

func (s *Replica) lost() error {
	if err := s.relay.Failure(); err != nil {
		return fmt.Errorf("read %s: %w", s.db.Name, err)
	}
	return fmt.Errorf("%s closed the connection; is %s running?", s.db.Name, s.db.Need)
}
