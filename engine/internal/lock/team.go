package lock

import (
	"context"
	"fmt"
	"strconv"

	"kinit/engine/internal/etcd"
)

// team is the common place for the locks of a team. do is an operation as in the script, on
// a key instead of a folder of a host.
type team interface {
	do(ctx context.Context, o operation) (answer, error)
}

// teamName replaces the host's name in messages about the team's lock.
const teamName = "etcd"

// inEtcd is a lock in etcd.
type inEtcd struct{ *etcd.Lock }

func (e inEtcd) do(ctx context.Context, o operation) (answer, error) {
	timed, cancel := context.WithTimeout(ctx, etcdTime)
	defer cancel()
	switch o.name {
	case "take":
		s, err := e.Take(timed, o.dead)
		return answer{taken: s.Mine, was: s.Was, holder: s.Holder, since: s.Since, until: strconv.FormatInt(s.Changed, 10)}, err
	case "renew":
		s, err := e.Renew(timed)
		return answer{renewed: s.Mine, holder: s.Holder}, err
	case "release":
		return answer{}, e.Release(timed)
	}
	return answer{}, fmt.Errorf("%s is no operation on a lock", o.name)
}
