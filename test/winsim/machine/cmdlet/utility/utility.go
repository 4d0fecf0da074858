// Package utility is cmdlets of several modules that stand alone: secure strings, types
// that scripts declare, transcripts, remoting, certificates from files, volumes.
package utility

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/cmdlet/items"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const commands = "Microsoft.PowerShell.Commands."

// module is the cmdlets of one process.
type module struct {
	m *machine.Machine
	p *machine.Process
}

// Cmdlets are the cmdlets as a process uses them.
func Cmdlets(p *machine.Process) []interp.Cmdlet {
	u := module{p.Machine, p}
	return []interp.Cmdlet{
		{Name: "ConvertTo-SecureString", Run: secureString, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, cmdlet.Piped(cmdlet.Text("String")))), cmdlet.Switch("AsPlainText"), cmdlet.Switch("Force"),
		}},
		{Name: "Add-Type", Run: u.addType, Parameters: []interp.Parameter{
			cmdlet.Texts("AssemblyName"), cmdlet.Text("Namespace"), cmdlet.Text("Name"), cmdlet.Text("MemberDefinition"),
		}},
		{Name: "Start-Transcript", Run: u.startTranscript, Parameters: []interp.Parameter{
			cmdlet.At(1, cmdlet.Text("Path")), cmdlet.Switch("Append"), cmdlet.Switch("Force"),
		}},
		{Name: "Stop-Transcript", Run: u.stopTranscript},
		{Name: "Enable-PSRemoting", Confirms: true, Run: u.enableRemoting, Parameters: []interp.Parameter{cmdlet.Switch("Force"), cmdlet.Switch("SkipNetworkProfileCheck")}},
		{Name: "Import-PfxCertificate", Confirms: true, Run: u.importPFX, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, interp.Parameter{Name: "FilePath", Aliases: []string{"FullName"}, Type: "string"})),
			cmdlet.Text("CertStoreLocation"), cmdlet.Any("Password"), cmdlet.Switch("Exportable"),
		}},
		{Name: "Optimize-Volume", Confirms: true, Parameters: []interp.Parameter{
			cmdlet.At(1, cmdlet.Text("DriveLetter")), cmdlet.Switch("ReTrim"), cmdlet.Switch("Defrag"),
		}},
	}
}

// secureString makes a SecureString. One that was encrypted is not modelled.
func secureString(ctx context.Context, c *interp.Call) error {
	if !c.Bool("AsPlainText") {
		return unknown.New("ConvertTo-SecureString without -AsPlainText")
	}
	if !c.Bool("Force") {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.ArgumentException", Category: "InvalidArgument", ID: "ImportSecureString_ForceRequired," + commands + "ConvertToSecureStringCommand",
			Message: "The system cannot protect plain text input. To suppress this warning and convert the plain text to a SecureString, reissue the command specifying the Force parameter. For more information ,type: get-help ConvertTo-SecureString.",
		})
	}
	text := c.String("String")
	if text == "" {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.Management.Automation.ParameterBindingValidationException", Category: "InvalidData",
			Message: "Cannot bind argument to parameter 'String' because it is an empty string.", ID: "ParameterArgumentValidationErrorEmptyStringNotAllowed," + commands + "ConvertToSecureStringCommand",
		})
	}
	o := value.NewObject("System.Security.SecureString", value.P("Length", int32(len([]rune(text)))))
	o.Text = func() string { return "System.Security.SecureString" }
	o.Data = text
	return c.WriteObject(ctx, o)
}

// assemblies are those whose types are there already.
func assemblies() []string {
	return []string{"System.DirectoryServices.AccountManagement", "System.Security", "System.ServiceProcess", "System.IO.Compression", "System.IO.Compression.FileSystem"}
}

// addType knows assemblies, and one declaration of a native function: HNSCall of
// vmcompute.dll, by which networks of containers are made.
func (u module) addType(_ context.Context, c *interp.Call) error {
	for _, name := range c.Strings("AssemblyName") {
		if !slices.ContainsFunc(assemblies(), func(known string) bool { return strings.EqualFold(known, name) }) {
			return unknown.New("the assembly %s", name)
		}
	}
	if c.Has("AssemblyName") {
		return nil
	}
	definition := c.String("MemberDefinition")
	if !strings.Contains(definition, `DllImport("vmcompute.dll")`) || !strings.Contains(definition, "HNSCall(") || strings.Count(definition, "DllImport") != 1 {
		return unknown.New("what Add-Type declares: %s", definition)
	}
	c.Session.Interpreter().RegisterType(clr.AddHNS(u.m, c.String("Namespace")+"."+c.String("Name")))
	return nil
}

// startTranscript writes the beginning of a transcript. What is shown afterwards is not
// written to it.
func (u module) startTranscript(ctx context.Context, c *interp.Call) error {
	if !c.Has("Path") {
		return unknown.New("Start-Transcript without -Path")
	}
	path := c.Session.Path(c.String("Path"))
	mode := ntfs.Create
	if c.Bool("Append") {
		mode = ntfs.Append
	}
	file, err := u.m.Files.Open(path, mode, ntfs.Writing, ntfs.ShareRead)
	if err != nil {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.InvalidOperationException", Message: "The transcription cannot be started due to the error: " + err.Error(),
			ID: "InvalidOperation,Microsoft.PowerShell.Commands.StartTranscriptCommand", Category: "InvalidOperation",
		})
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "**********************\r\nWindows PowerShell transcript start\r\nStart time: %s\r\n**********************\r\n", u.m.Now().UTC().Format("20060102150405"))
	if err != nil {
		return err
	}
	c.Session.Keep("transcript", path)
	return c.WriteObject(ctx, "Transcript started, output file is "+path)
}

func (u module) stopTranscript(ctx context.Context, c *interp.Call) error {
	path, ok := c.Session.Kept("transcript").(string)
	if !ok || path == "" {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.Management.Automation.PSInvalidOperationException", Category: "InvalidOperation", ID: "InvalidOperation,Microsoft.PowerShell.Commands.StopTranscriptCommand",
			Message: "An error occurred stopping transcription: The host is not currently transcribing.",
		})
	}
	c.Session.Keep("transcript", "")
	return c.WriteObject(ctx, "Transcript stopped, output file is "+path)
}

// enableRemoting starts WS-Management and makes its listener of HTTP.
func (u module) enableRemoting(ctx context.Context, c *interp.Call) error {
	err := u.m.Services.Change("WinRM", func(to *scm.Config) { to.Start = scm.Auto })
	if err != nil {
		return err
	}
	status, err := u.m.Services.Status("WinRM")
	if err != nil {
		return err
	}
	if status.State != scm.Running {
		if err := u.m.Services.Start(ctx, "WinRM"); err != nil {
			return err
		}
	}
	isHTTP := func(l machine.Listener) bool { return l.Transport == "HTTP" }
	if slices.ContainsFunc(u.m.Listeners(), isHTTP) {
		return nil
	}
	return u.m.AddListener(machine.Listener{Transport: "HTTP", Address: "*"}.WithPort())
}

func (u module) importPFX(ctx context.Context, c *interp.Call) error {
	store := strings.ReplaceAll(strings.ToLower(c.String("CertStoreLocation")), "/", `\`)
	if store != `cert:\localmachine\my` {
		return unknown.New("the store %s of Import-PfxCertificate", c.String("CertStoreLocation"))
	}
	path := c.Session.Path(c.String("FilePath"))
	content, err := u.m.Files.ReadFile(path)
	if err != nil {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.IO.FileNotFoundException", Message: "The PFX file could not be found.", Category: "NotSpecified", Target: path,
			ID: "System.IO.FileNotFoundException,Microsoft.CertificateServices.Commands.ImportPfxCertificate",
		})
	}
	password := ""
	if o, ok := c.Value("Password").(*value.Object); ok {
		password, _ = o.Data.(string)
	}
	stored, err := decodePFX(content, password)
	if err != nil {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.ComponentModel.Win32Exception", Message: "The PFX file you are trying to import requires either a different password or membership in an Active Directory principal to which it is protected.",
			HResult: 0x80070056, ID: "System.ComponentModel.Win32Exception,Microsoft.CertificateServices.Commands.ImportPfxCertificate", Category: "NotSpecified",
		})
	}
	if err := u.m.AddCertificate(stored); err != nil {
		return err
	}
	return c.WriteObject(ctx, items.Certificate(stored))
}

// decodePFX reads a key and its certificate.
func decodePFX(content []byte, password string) (machine.StoredCertificate, error) {
	key, certificate, _, err := pkcs12.DecodeChain(content, password)
	if err != nil {
		return machine.StoredCertificate{}, err
	}
	return machine.NewCertificate(certificate.Raw, key)
}
