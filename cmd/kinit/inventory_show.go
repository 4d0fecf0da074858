package main

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
)

// inventoryDocument is the JSON of the inventory commands; each has one of the parts, and
// all have the diagnostics.
type inventoryDocument struct {
	Hosts       []shownHost     `json:"hosts,omitempty"`
	Groups      []shownGroup    `json:"groups,omitempty"`
	Vars        []shownVar      `json:"vars,omitempty"`
	Diagnostics []event.Problem `json:"diagnostics"`
}

// shownHost is a host. Values that its inventory does not set are omitted.
type shownHost struct {
	Name      string   `json:"name"`
	Address   string   `json:"address"`
	Port      int      `json:"port,omitempty"`
	User      string   `json:"user,omitempty"`
	Transport string   `json:"transport"`
	Via       string   `json:"via,omitempty"`
	Become    string   `json:"become,omitempty"`
	Groups    []string `json:"groups"`
}

// shownGroup is a group and its direct members.
type shownGroup struct {
	Name   string   `json:"name"`
	Hosts  []string `json:"hosts"`
	Groups []string `json:"groups"`
}

// shownVar is a variable of a host. An unknown one has the reason instead of a value.
type shownVar struct {
	Host   string          `json:"host"`
	Name   string          `json:"name"`
	Value  json.RawMessage `json:"value,omitempty"`
	Unread string          `json:"unread,omitempty"`
	From   string          `json:"from"` // "host", or "group" and its name
	File   string          `json:"file"`
	Line   int             `json:"line"`
}

func hostsAsJSON(inv engine.Inventory) (d inventoryDocument) {
	for _, h := range inv.Hosts {
		d.Hosts = append(d.Hosts, shownHost{h.Name, h.Address, h.Port, h.User, h.Transport, h.Via, h.Become, orEmpty(h.Groups)})
	}
	return d
}

func groupsAsJSON(inv engine.Inventory) (d inventoryDocument) {
	for _, g := range inv.Groups {
		d.Groups = append(d.Groups, shownGroup{g.Name, orEmpty(g.Hosts), orEmpty(g.Groups)})
	}
	return d
}

func varsAsJSON(inv engine.Inventory) (d inventoryDocument) {
	for _, h := range inv.Hosts {
		for _, v := range h.Vars {
			d.Vars = append(d.Vars, shownVar{h.Name, v.Name, json.RawMessage(v.Value), v.Unread, v.From, v.At.Filename, v.At.Start.Line})
		}
	}
	return d
}

// orEmpty returns a list that JSON does not show as null.
func orEmpty(names []string) []string { return append([]string{}, names...) }

func hostLines(inv engine.Inventory) []string {
	rows := [][]string{{"HOST", "ADDRESS", "GROUPS"}}
	for _, h := range inv.Hosts {
		address := h.Address
		if h.Port != 0 {
			address = net.JoinHostPort(address, strconv.Itoa(h.Port))
		}
		if h.User != "" {
			address = h.User + "@" + address
		}
		if h.Transport == "local" {
			address = "this machine"
		}
		rows = append(rows, []string{h.Name, address, strings.Join(h.Groups, ", ")})
	}
	return view.Table(rows)
}

func varLines(inv engine.Inventory) []string {
	// Values come last: one may be longer than a screen is wide.
	rows := [][]string{{"HOST", "VARIABLE", "FROM", "AT", "VALUE"}}
	for _, h := range inv.Hosts {
		for _, v := range h.Vars {
			value := v.Value
			if v.Unread != "" {
				value = "(" + v.Unread + ")"
			}
			rows = append(rows, []string{h.Name, v.Name, v.From, fmt.Sprintf("%s:%d", v.At.Filename, v.At.Start.Line), value})
		}
	}
	if len(inv.Hosts) == 1 { // the same in every row
		for i, row := range rows {
			rows[i] = row[1:]
		}
	}
	return view.Table(rows)
}

// treeLines returns the tree of groups and hosts in the form of ansible-inventory --graph.
func treeLines(inv engine.Inventory) []string {
	groups := map[string]engine.InventoryGroup{}
	for _, g := range inv.Groups {
		groups[g.Name] = g
	}
	return slices.Concat([]string{"@all:"}, branch(groups, "all", "  |"))
}

func branch(groups map[string]engine.InventoryGroup, name, indent string) []string {
	var lines []string
	for _, inner := range groups[name].Groups {
		lines = append(lines, indent+"--@"+inner+":")
		lines = append(lines, branch(groups, inner, indent+"  |")...)
	}
	for _, host := range groups[name].Hosts {
		lines = append(lines, indent+"--"+host)
	}
	return lines
}
