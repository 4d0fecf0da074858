package setup_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/setup"
)

// patience is how long an installation gets on a busy machine.
const patience = time.Minute

const password = "Ab-12345678"

// hidden is a password as answer files hide it.
func hidden(name string) string {
	var raw bytes.Buffer
	for _, unit := range utf16.Encode([]rune(password + name)) {
		raw.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return base64.StdEncoding.EncodeToString(raw.Bytes())
}

// component begins a component of an answer file.
func component(name string) string {
	return `<component name="` + name + `" processorArchitecture="amd64" publicKeyToken="31bf3856ad364e35" language="neutral" versionScope="nonSxS">`
}

// answers is an answer file with a computer name and a command of the first login.
func answers(computer, command string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<unattend xmlns="urn:schemas-microsoft-com:unattend" xmlns:wcm="http://schemas.microsoft.com/WMIConfig/2002/State">
<settings pass="windowsPE">` + component("Microsoft-Windows-International-Core-WinPE") + `
<InputLocale>de-DE</InputLocale><SystemLocale>de-DE</SystemLocale><UILanguage>de-DE</UILanguage><UserLocale>de-DE</UserLocale></component>` +
		component("Microsoft-Windows-Setup") + `<DiskConfiguration><Disk wcm:action="add"><CreatePartitions>
<CreatePartition wcm:action="add"><Order>1</Order><Size>100</Size><Type>EFI</Type></CreatePartition>
<CreatePartition wcm:action="add"><Order>2</Order><Size>16</Size><Type>MSR</Type></CreatePartition>
<CreatePartition wcm:action="add"><Extend>true</Extend><Order>3</Order><Type>Primary</Type></CreatePartition></CreatePartitions>
<DiskID>0</DiskID><ModifyPartitions>
<ModifyPartition wcm:action="add"><Format>NTFS</Format><Letter>C</Letter><Order>3</Order><PartitionID>3</PartitionID></ModifyPartition></ModifyPartitions>
<WillWipeDisk>true</WillWipeDisk></Disk></DiskConfiguration>
<ImageInstall><OSImage><InstallFrom><MetaData wcm:action="add"><Key>/IMAGE/NAME</Key><Value>Windows Server 2022 SERVERDATACENTERCORE</Value></MetaData></InstallFrom>
<InstallTo><DiskID>0</DiskID><PartitionID>3</PartitionID></InstallTo></OSImage></ImageInstall>
<UserData><AcceptEula>true</AcceptEula><ProductKey><WillShowUI>OnError</WillShowUI></ProductKey></UserData></component></settings>
<settings pass="specialize">` + component("Microsoft-Windows-Shell-Setup") + `<ComputerName>` + computer + `</ComputerName><TimeZone>UTC</TimeZone></component>` +
		component("Networking-MPSSVC-Svc") + `<FirewallGroups><FirewallGroup wcm:action="add" wcm:keyValue="r"><Active>true</Active><Group>@FirewallAPI.dll,-28752</Group><Profile>all</Profile></FirewallGroup></FirewallGroups></component>` +
		component("Microsoft-Windows-Deployment") + `<RunSynchronous><RunSynchronousCommand wcm:action="add"><Order>1</Order>
<Path>reg.exe add HKLM\SOFTWARE\Kinit /v Specialized /t REG_DWORD /d 1 /f</Path></RunSynchronousCommand></RunSynchronous></component></settings>
<settings pass="oobeSystem">` + component("Microsoft-Windows-Shell-Setup") + `
<AutoLogon><Enabled>true</Enabled><LogonCount>1</LogonCount><Username>Administrator</Username><Password><PlainText>false</PlainText><Value>` + hidden("Password") + `</Value></Password></AutoLogon>
<FirstLogonCommands><SynchronousCommand wcm:action="add"><CommandLine>` + command + `</CommandLine><Order>1</Order></SynchronousCommand></FirstLogonCommands>
<UserAccounts><AdministratorPassword><PlainText>false</PlainText><Value>` + hidden("AdministratorPassword") + `</Value></AdministratorPassword></UserAccounts></component></settings>
</unattend>`
}

// cd is a folder with files.
func cd(t *testing.T, files map[string]string) []string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []string{folder}
}

// console keeps what the machine says.
type console struct {
	mu    sync.Mutex
	lines []string
}

func (c *console) log(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}

func options(t *testing.T, c *console) machine.Options {
	r, _ := machine.FindRelease("2k22")
	return machine.Options{Folder: filepath.Join(t.TempDir(), "state"), Release: r, Log: c.log}
}

// start runs an installation; the machine runs until stop is called.
func start(t *testing.T, o machine.Options, cds []string) (s *setup.System, stop func()) {
	t.Helper()
	s, err := setup.Prepare(o, cds)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stop = sync.OnceFunc(func() {
		cancel()
		s.Close()
	})
	t.Cleanup(stop)
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	return s, stop
}

const script = `powershell.exe -NoProfile -ExecutionPolicy Bypass -File D:\first.ps1`

func TestAMachineInstallsItselfAsTheAnswersSay(t *testing.T) {
	t.Parallel()
	c := &console{}
	o := options(t, c)
	s, stop := start(t, o, cd(t, map[string]string{
		"autounattend.XML": answers("node-1", script),
		"first.ps1":        "Set-Content -LiteralPath C:\\marker.txt -Value \"$env:USERNAME on $env:COMPUTERNAME\"\nWrite-Host 'done'\n",
	}))
	if text, err := s.Files.ReadFile(`C:\marker.txt`); err != nil || string(text) != "Administrator on NODE-1\r\n" {
		t.Errorf("marker %q %v", text, err)
	}
	if s.Language() != "de-DE" || !s.Password("Administrator", password) || s.Boots() != 3 {
		t.Errorf("language %s, boots %d, password right: %v", s.Language(), s.Boots(), s.Password("Administrator", password))
	}
	if v, ok := s.Registry.Get(`HKLM\SOFTWARE\Kinit`, "Specialized"); !ok || v.Number != 1 {
		t.Errorf("the command of the pass specialize did not run: %+v", v)
	}
	if !s.Firewall.Admits("Public", 3389) {
		t.Error("the group of rules was not opened")
	}
	if text, err := s.Files.ReadFile(`C:\Windows\Panther\unattend.xml`); err != nil || !strings.Contains(string(text), hidden("Password")) {
		t.Errorf("Setup keeps a copy of the answers: %v", err)
	}
	if !strings.Contains(c.text(), "| done\n") {
		t.Errorf("the console does not show what the command wrote: %s", c.text())
	}
	// Another start installs nothing and runs nothing again.
	stop()
	again, _ := start(t, o, nil)
	if again.ComputerName() != "NODE-1" || again.Boots() != 4 {
		t.Errorf("%s, boot %d", again.ComputerName(), again.Boots())
	}
}

func TestWhatSetupCannotDoIsRefusedByName(t *testing.T) {
	t.Parallel()
	good := answers("node-1", script)
	for name, one := range map[string]struct{ from, to, want string }{
		"an unknown setting":     {"<AcceptEula>", "<FullName>me</FullName><AcceptEula>", "the setting windowsPE/Microsoft-Windows-Setup/UserData/FullName is not known"},
		"an unknown component":   {"Networking-MPSSVC-Svc", "Microsoft-Windows-Nothing", "the component specialize/Microsoft-Windows-Nothing is not known"},
		"an unknown pass":        {`pass="oobeSystem"`, `pass="oobe"`, `settings of the pass "oobe" is not known`},
		"another architecture":   {`Setup" processorArchitecture="amd64"`, `Setup" processorArchitecture="x86"`, `want "amd64"`},
		"another medium":         {"Windows Server 2022", "Windows Server 2019", "no images are available"},
		"an empty product key":   {"<WillShowUI>OnError", "<Key></Key><WillShowUI>OnError", "evaluation media take no product key, not even an empty one"},
		"terms not accepted":     {"<AcceptEula>true", "<AcceptEula>false", "the licence terms are not accepted"},
		"a missing partition":    {"<PartitionID>3</PartitionID></InstallTo>", "<PartitionID>4</PartitionID></InstallTo>", "the target of the installation is partition 4 of 3"},
		"another language":       {"<UILanguage>de-DE", "<UILanguage>fr-FR", `the language "fr-FR" is none of the medium's`},
		"XML that is not closed": {"</unattend>", "", "read the answer file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := strings.Replace(good, one.from, one.to, 1)
			if bad == good {
				t.Fatalf("%q is not in the answers", one.from)
			}
			_, err := setup.Prepare(options(t, &console{}), cd(t, map[string]string{"Autounattend.xml": bad}))
			if err == nil || !strings.Contains(err.Error(), one.want) {
				t.Errorf("%v, want %s", err, one.want)
			}
		})
	}
}

func TestARestartInTheFirstLoginGoesOnByATask(t *testing.T) {
	t.Parallel()
	c := &console{}
	s, _ := start(t, options(t, c), cd(t, map[string]string{
		"Autounattend.xml": answers("*", script),
		"first.ps1": `$ErrorActionPreference = 'Stop'
if ($env:COMPUTERNAME -ne 'NODE-2') {
    $action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument ('-NoProfile -ExecutionPolicy Bypass -File "' + $PSCommandPath + '"')
    Register-ScheduledTask -TaskName 'again' -Action $action -Trigger (New-ScheduledTaskTrigger -AtStartup) -User 'SYSTEM' -RunLevel Highest -Force | Out-Null
    Rename-Computer -NewName 'node-2' -Force
    Restart-Computer -Force
    Start-Sleep -Seconds 600
}
Set-Content -LiteralPath C:\marker.txt -Value $env:COMPUTERNAME
`,
	}))
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if text, err := s.Files.ReadFile(`C:\marker.txt`); err == nil && string(text) == "NODE-2\r\n" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("there is no marker: %s", c.text())
		}
	}
	if unknown := s.Unknowns(); len(unknown) > 0 {
		t.Errorf("unknown: %q", unknown)
	}
}

func TestASealedMachineIsACopyWithAnotherName(t *testing.T) {
	t.Parallel()
	c := &console{}
	o := options(t, c)
	sealed := answers("node-9", `powershell.exe -NoProfile -Command "Set-Content C:\marker.txt copy"`)
	sealed = sealed[:strings.Index(sealed, `<settings pass="windowsPE">`)] + sealed[strings.Index(sealed, `<settings pass="specialize">`):]
	s, stop := start(t, o, cd(t, map[string]string{
		"Autounattend.xml": answers("*", script), "sealed.xml": sealed,
		"first.ps1": `Start-Process -FilePath C:\Windows\System32\Sysprep\sysprep.exe -ArgumentList '/generalize', '/oobe', '/mode:vm', '/quiet', '/quit', '/unattend:D:\sealed.xml' -Wait` + "\nStop-Computer -Force\n",
	}))
	s.Close()
	first := s.ComputerName()
	stop()
	again, _ := start(t, o, nil)
	if text, err := again.Files.ReadFile(`C:\marker.txt`); err != nil || string(text) != "copy\r\n" || again.ComputerName() != "NODE-9" {
		t.Errorf("marker %q %v on %s, which was %s\n%s", text, err, again.ComputerName(), first, c.text())
	}
}

// TestPackagesAreWhatProgramsInstall keeps the form of packages that CDs carry.
func TestPackagesAreWhatProgramsInstall(t *testing.T) {
	t.Parallel()
	c := &console{}
	msi := `{"kinit-winsim": "msi", "product": "{11111111-2222-3333-4444-555555555555}", "name": "OpenSSH", "version": "10.0",
"files": {"C:\\Program Files\\OpenSSH\\sshd.exe": "` + strings.TrimSpace(string(machine.Stand("sshd", "10.0"))) + `\n"},
"services": [{"name": "sshd", "display": "OpenSSH SSH Server", "image": "\"C:\\Program Files\\OpenSSH\\sshd.exe\"", "automatic": true}]}`
	s, _ := start(t, options(t, c), cd(t, map[string]string{
		"Autounattend.xml": answers("node-3", script), "openssh.msi": msi,
		"first.ps1": `$msi = Start-Process -FilePath msiexec.exe -ArgumentList '/i', 'D:\openssh.msi', '/qn', '/norestart' -Wait -PassThru
Set-Content C:\code.txt ("{0} {1}" -f $msi.ExitCode, (Get-Service sshd).Status)
`,
	}))
	if text, err := s.Files.ReadFile(`C:\code.txt`); err != nil || string(text) != "0 Running\r\n" {
		t.Errorf("%q %v\n%s", text, err, c.text())
	}
}
