package virt

import (
	"encoding/xml"

	"libvirt.org/go/libvirtxml"
)

// namespace is that of kinit's element in a domain's metadata. libvirt keeps one
// element for each namespace and never reads it.
const namespace = "https://kinit.invalid/domain/1"

// Stamp is what kinit writes into the metadata of the domains it makes.
type Stamp struct {
	Owner string // the signature of whose it is, may be empty
	UUID  string // the domain's own: a copy of a domain has the stamp too, and another UUID
	Hash  string // of the XML that was asked for
}

// element is the stamp in XML.
type element struct {
	XMLName xml.Name `xml:"https://kinit.invalid/domain/1 domain"`
	Owner   string   `xml:"owner,attr,omitempty"`
	UUID    string   `xml:"uuid,attr,omitempty"`
	Hash    string   `xml:"hash,attr"`
}

// metadata returns the stamp as a domain's metadata. libvirt insists on a prefix,
// which encoding/xml would not write.
func (s Stamp) metadata() (*libvirtxml.DomainMetadata, error) {
	attrs := []xml.Attr{{Name: xml.Name{Local: "xmlns:kinit"}, Value: namespace}}
	if s.Owner != "" {
		attrs = append(attrs, xml.Attr{Name: xml.Name{Local: "owner"}, Value: s.Owner})
	}
	attrs = append(attrs, xml.Attr{Name: xml.Name{Local: "uuid"}, Value: s.UUID})
	attrs = append(attrs, xml.Attr{Name: xml.Name{Local: "hash"}, Value: s.Hash})
	text, err := xml.Marshal(struct {
		XMLName xml.Name   `xml:"kinit:domain"`
		Attrs   []xml.Attr `xml:",any,attr"`
	}{Attrs: attrs})
	if err != nil {
		return nil, err
	}
	return &libvirtxml.DomainMetadata{XML: string(text)}, nil
}

// readStamp finds the stamp among a domain's metadata; nil means that kinit did
// not make the domain.
func readStamp(m *libvirtxml.DomainMetadata) (*Stamp, error) {
	if m == nil {
		return nil, nil
	}
	var all struct {
		Ours *element `xml:"https://kinit.invalid/domain/1 domain"`
	}
	if err := xml.Unmarshal([]byte("<metadata>"+m.XML+"</metadata>"), &all); err != nil {
		return nil, err
	}
	if all.Ours == nil {
		return nil, nil
	}
	return &Stamp{Owner: all.Ours.Owner, UUID: all.Ours.UUID, Hash: all.Ours.Hash}, nil
}
