package items

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// setting is a path below WSMan:\localhost.
func setting(path string) (string, bool) {
	host, rest, _ := strings.Cut(path, `\`)
	return rest, strings.EqualFold(host, "localhost")
}

// listener returns the listener that a path names.
func (i module) listener(path string) (machine.Listener, bool) {
	rest, _ := setting(path)
	for _, l := range i.m.Listeners() {
		if strings.EqualFold(rest, `Listener\`+l.Name()) {
			return l, true
		}
	}
	return machine.Listener{}, false
}

func (i module) wsmanHas(path string) bool {
	rest, ok := setting(path)
	if _, known := i.m.WinRM(rest); known || ok && strings.EqualFold(rest, "Listener") {
		return true
	}
	_, found := i.listener(path)
	return found
}

func (i module) getSetting(ctx context.Context, c *interp.Call, l location) error {
	rest, ok := setting(l.path)
	text, known := i.m.WinRM(rest)
	if !ok || !known {
		return unknown.New("the setting %s of WSMan:", l.path)
	}
	o := value.NewObject("Microsoft.WSMan.Management.WSManConfigLeafElement", value.P("Name", rest[strings.LastIndexByte(rest, '\\')+1:]),
		value.P("Value", text), value.P("SourceOfValue", nil), value.P("Type", "System.String"), value.P("PSPath", wsmanPath(l.path)))
	return c.WriteObject(ctx, o)
}

func wsmanPath(path string) string { return `Microsoft.WSMan.Management\WSMan::` + path }

// settings lists what is below a path: only listeners are modelled.
func (i module) settings(ctx context.Context, c *interp.Call, l location) error {
	rest, ok := setting(l.path)
	if !ok || !strings.EqualFold(rest, "Listener") {
		return unknown.New("the list of WSMan:\\%s", l.path)
	}
	return cmdlet.WriteEach(ctx, c, i.m.Listeners(), listenerObject)
}

func listenerObject(l machine.Listener) *value.Object {
	keys := value.NewStrings("Transport="+l.Transport, "Address="+l.Address)
	o := value.NewObject("Microsoft.WSMan.Management.WSManConfigContainerElement", value.P("Name", l.Name()), value.P("Keys", keys),
		value.P("Type", "Container"), value.P("PSPath", wsmanPath(`localhost\Listener\`+l.Name())))
	o.Text = func() string { return l.Name() }
	return o
}

func (i module) newListener(ctx context.Context, c *interp.Call, l location) error {
	rest, ok := setting(l.path)
	if !ok || !strings.EqualFold(rest, "Listener") {
		return unknown.New("New-Item WSMan:\\%s", l.path)
	}
	made := machine.Listener{
		Transport: strings.ToUpper(c.String("Transport")), Address: c.String("Address"), Port: int(c.Int("Port")),
		Thumbprint: strings.ToUpper(c.String("CertificateThumbPrint")), Hostname: c.String("HostName"),
	}.WithPort()
	fail := func(message string, hresult uint32) error {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.InvalidOperationException", Message: message, HResult: hresult, Category: "NotSpecified",
			ID: "WsManError," + "Microsoft.WSMan.Management.NewItemCommand",
		})
	}
	for _, old := range i.m.Listeners() {
		if old.Transport == made.Transport && old.Address == made.Address {
			return fail("The WS-Management service cannot create the resource because it already exists.", 0x80338069)
		}
	}
	if made.Transport == "HTTPS" && !i.hasCertificate(made.Thumbprint) {
		return fail("The WinRM client cannot process the request. The certificate structure was incomplete. Change the certificate structure and try the request again.", 0x8033809d)
	}
	if err := i.m.AddListener(made); err != nil {
		return err
	}
	return c.WriteObject(ctx, listenerObject(made))
}

func (i module) removeListener(ctx context.Context, c *interp.Call, l location) error {
	found, ok := i.listener(l.path)
	if !ok {
		return cmdlet.Report(ctx, c, missing(c, l.asked))
	}
	return i.m.RemoveListener(found)
}

func (i module) setSetting(_ context.Context, c *interp.Call, l location) error {
	rest, ok := setting(l.path)
	if _, known := i.m.WinRM(rest); !ok || !known {
		return unknown.New("the setting %s of WSMan:", l.path)
	}
	text := value.String(c.Value("Value"))
	if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		text = strings.ToLower(text)
	}
	if status := fmt.Sprint(text); status == "" && !strings.HasSuffix(rest, "TrustedHosts") {
		return unknown.New("an empty setting %s of WSMan:", l.path)
	}
	if a, ok := i.m.Network.Primary(); ok && a.Category == "Public" && strings.HasSuffix(strings.ToLower(rest), "allowunencrypted") {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.InvalidOperationException", HResult: 0x80338169, Category: "InvalidOperation", ID: "WsManError,Microsoft.WSMan.Management.SetItemCommand",
			Message: "WinRM firewall exception will not work since one of the network connection types on this machine is set to Public.",
		})
	}
	return i.m.SetWinRM(rest, text)
}
