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
	Owner string `xml:"owner,attr,omitempty"` // the signature of whose it is, may be empty
	UUID  string `xml:"uuid,attr"`            // the domain's own: a copy of a domain has the stamp too, and another UUID
	Hash  string `xml:"hash,attr"`            // of the XML that was asked for
}

// metadata returns the stamp as a domain's metadata. libvirt insists on a prefix,
// which encoding/xml would not write.
func (s Stamp) metadata() (*libvirtxml.DomainMetadata, error) {
	text, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"kinit:domain"`
		Space   string   `xml:"xmlns:kinit,attr"`
		Stamp
	}{Space: namespace, Stamp: s})
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
		Ours *Stamp `xml:"https://kinit.invalid/domain/1 domain"`
	}
	err := xml.Unmarshal([]byte("<metadata>"+m.XML+"</metadata>"), &all)
	return all.Ours, err
}
