package winhost_test

import (
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/winhost"
)

// TestMistakesHaveTheIdsOfWindows keeps what scripts tell errors apart by.
func TestMistakesHaveTheIdsOfWindows(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	const commands = ",Microsoft.PowerShell.Commands."
	run(t, h, `New-Item C:\there -ItemType Directory | Out-Null; Set-Content C:\there\file x; New-LocalUser -Name ada -NoPassword | Out-Null
$null = New-Service -Name needy -BinaryPathName C:\there\file -DependsOn missing`)
	for script, want := range map[string]string{
		`Get-Item C:\none`:                      "PathNotFound" + commands + "GetItemCommand",
		`New-Item C:\there -ItemType Directory`: "DirectoryExist" + commands + "NewItemCommand",
		`New-Item C:\there\file`:                "NewItemIOError" + commands + "NewItemCommand",
		`Remove-Item C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`:      "RemoveFileSystemItemUnAuthorizedAccess" + commands + "RemoveItemCommand",
		`Get-ItemProperty HKLM:\SOFTWARE\none`:                                       "PathNotFound" + commands + "GetItemPropertyCommand",
		`Get-ItemProperty HKLM:\SOFTWARE -Name none`:                                 "System.Management.Automation.PSArgumentException" + commands + "GetItemPropertyCommand",
		`Get-Service absent`:                                                         "NoServiceFoundForGivenName" + commands + "GetServiceCommand",
		`Start-Service needy`:                                                        "CouldNotStartService" + commands + "StartServiceCommand",
		`Get-LocalUser absent`:                                                       "UserNotFound" + commands + "GetLocalUserCommand",
		`New-LocalUser -Name ada -NoPassword`:                                        "UserExists" + commands + "NewLocalUserCommand",
		`Set-LocalUser ada -Password (ConvertTo-SecureString a -AsPlainText -Force)`: "InvalidPassword" + commands + "SetLocalUserCommand",
		`Add-LocalGroupMember -SID S-1-5-32-544 -Member absent`:                      "PrincipalNotFound" + commands + "AddLocalGroupMemberCommand",
		`Get-ScheduledTask -TaskName nothing`:                                        "CmdletizationQuery_NotFound_TaskName,Get-ScheduledTask",
		`Get-NetFirewallRule -Name nothing`:                                          "CmdletizationQuery_NotFound_InstanceID,Get-NetFirewallRule",
		`Get-NetAdapter -Name nothing`:                                               "CmdletizationQuery_NotFound_Name,Get-NetAdapter",
	} {
		got := strings.Join(run(t, h, "$ErrorActionPreference = 'Stop'; try { "+script+"; 'no error' } catch { $_.FullyQualifiedErrorId }"), "\n")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// TestTextsAreInTheMachinesLanguage keeps what is in the system's language on Windows:
// its own messages and names, and not those of PowerShell's values.
func TestTextsAreInTheMachinesLanguage(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	for script, want := range map[string]string{
		`(Get-LocalGroup -SID S-1-5-32-544).Name`: "Administratoren",
		`$PSCulture`:                               "de-DE",
		`(Get-Service WinRM).Status.ToString()`:    "Running",
		`(Get-Service WinRM).StartType.ToString()`: "Automatic",
		`[Security.Principal.SecurityIdentifier]::new('S-1-5-32-544').Translate([Security.Principal.NTAccount]).Value`: `VORDEFINIERT\Administratoren`,
	} {
		if got := strings.Join(run(t, h, script), "\n"); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// quiet takes what would fail a test.
type quiet struct {
	testing.TB
	failures int
}

func (q *quiet) Errorf(string, ...any) { q.failures++ }

func TestWhatIsNotKnownFailsTheTest(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"Get-Nothing", `Get-Item C:\ -Nothing`, "[System.No.Such]::Thing()"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			q := &quiet{TB: t}
			t.Cleanup(func() {
				if q.failures == 0 {
					t.Error("the test went on as if it were known")
				}
			})
			_, err := winhost.New(q, winhost.Options{}).Run(t.Context(), module.Command{PowerShell: script})
			if err == nil {
				t.Error("the script went on as if it were known")
			}
		})
	}
}

// TestTroublesOfAMachineReachScripts plans what goes wrong on real machines: a full
// disk, a clock that is wrong, a network that is cut, no Defender.
func TestTroublesOfAMachineReachScripts(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Options: machine.Options{Skew: 48 * time.Hour, NoDefender: true}})
	h.Machine.Files.Limit(1)
	full := run(t, h, "try { [IO.File]::WriteAllText('C:\\big.txt', 'x' * 100000) } catch { $e = $_.Exception; while ($e.InnerException) { $e = $e.InnerException }; '{0:x8}' -f $e.HResult }")
	if got := strings.Join(full, "\n"); got != "80070070" {
		t.Errorf("a full disk: %s, want ERROR_DISK_FULL", got)
	}
	h.Machine.Files.Limit(0)
	ahead := run(t, h, "[int]((Get-Date).ToUniversalTime() - [DateTime]::new("+time.Now().UTC().Format("2006, 1, 2, 15, 4, 5")+")).TotalHours")
	if got := strings.Join(ahead, "\n"); got != "48" {
		t.Errorf("the clock is %s hours ahead, want 48", got)
	}
	if got := run(t, h, "if (Get-Command Get-MpPreference -ErrorAction SilentlyContinue) { 'there' } else { 'missing' }"); got[0] != "missing" {
		t.Errorf("Defender is %s", got[0])
	}
}
