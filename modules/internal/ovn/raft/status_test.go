package raft

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const said = `2cb8
Name: OVN_Southbound
Cluster ID: e3c2 (e3c23717-1429-4678-8806-4878f9530e27)
Server ID: 2cb8 (2cb83ae0-f12a-451d-bb8e-4e92085abe98)
Address: ssl:192.0.2.1:6644
Status: cluster member
Role: follower
Term: 1
Leader: 14f3
Vote: self

Connections: <-048a ->048a <-14f3 ->14f3
Disconnections: 0
Servers:
    14f3 (14f3 at ssl:192.0.2.3:6644) next_index=6 match_index=5 last msg 12 ms ago
    2cb8 (2cb8 at ssl:192.0.2.1:6644) (self) next_index=2 match_index=5
`

func TestStatusIsRead(t *testing.T) {
	t.Parallel()
	want := State{
		Kind: Clustered, Address: "ssl:192.0.2.1:6644", Server: "2cb83ae0-f12a-451d-bb8e-4e92085abe98",
		Joined: "e3c23717-1429-4678-8806-4878f9530e27",
		Status: Status{Cluster: "e3c23717-1429-4678-8806-4878f9530e27", Status: Member, Leader: "14f3",
			Servers: []Server{{"2cb8", "ssl:192.0.2.1:6644"}, {"14f3", "ssl:192.0.2.3:6644"}}},
	}
	got := parse("kind=clustered\naddress=ssl:192.0.2.1:6644\nserver=2cb83ae0-f12a-451d-bb8e-4e92085abe98\njoined=e3c23717-1429-4678-8806-4878f9530e27\n" + said)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if !got.Led() || !Same(got.Servers[1].ID, "14f3aaaa-0000") || Same(got.Servers[1].ID, "0000aaaa-0000") || got.Servers[1].IP() != "192.0.2.3" {
		t.Errorf("led %t, servers %v", got.Led(), got.Servers)
	}
	if diff := cmp.Diff(State{Kind: None}, parse("kind=none\n")); diff != "" {
		t.Errorf("state of a host without a database (-want +got):\n%s", diff)
	}
}

func TestClusterWithoutALeaderIsNotLed(t *testing.T) {
	t.Parallel()
	for _, s := range []Status{{}, {Status: Member, Leader: "unknown"}, {Status: "joining cluster", Leader: "14f3"}} {
		if s.Led() {
			t.Errorf("%+v is led", s)
		}
	}
}
