# What the commands do whose parameters are recorded in commands.jsonl: each has a function here with the prefix Do-,
# which gets its parameters by their names, and $script:command, which reports errors. The state is a file of JSON for each kind of objects. It
# follows Microsoft's documentation, with the identifiers of errors that it names.
$folder = 'C:\ProgramData\stubs'

# An error that does not end the command unless its caller wants that. PowerShell adds the command's name to the identifier.
function Report([string] $Message, [string] $Category, [string] $Id, $Exception = [Exception]::new($Message)) {
    $script:command.WriteError([Management.Automation.ErrorRecord]::new($Exception, $Id, $Category, $null))
}

function Load([string] $Kind) {
    if (-not [IO.File]::Exists("$folder\$Kind")) { return @{} }
    [IO.File]::ReadAllText("$folder\$Kind") | ConvertFrom-Json -AsHashtable -DateKind String
}

function Save([string] $Kind, $State) {
    $null = [IO.Directory]::CreateDirectory($folder)
    [IO.File]::WriteAllText("$folder\$Kind", (ConvertTo-Json -InputObject $State -Depth 8))
}

function Find([string] $Kind, $Name, [string] $Id) {
    $found = (Load $Kind)[[string]$Name]
    if ($null -eq $found) { Report "No object found with the name '$Name'." ObjectNotFound $Id }
    $found
}

# Changes one object; $With is a hashtable of what is new.
function Change([string] $Kind, [string] $Name, $With) {
    $state = Load $Kind
    if (-not $state.Contains($Name)) { $state[$Name] = @{} }
    foreach ($key in $With.Keys) { $state[$Name][$key] = $With[$key] }
    Save $Kind $state
}

function Drop([string] $Kind, [string] $Name) {
    $state = Load $Kind
    $state.Remove($Name)
    Save $Kind $state
}

# --- NetSecurity

# Texts of what was given, as the firewall keeps it: addresses have masks.
function Rule($Given) {
    $rule = @{}
    foreach ($key in $Given.Keys) { $rule[$key] = if ($Given[$key] -is [array]) { @($Given[$key] | ForEach-Object { "$_" }) } else { "$($Given[$key])" } }
    if ($rule.RemoteAddress) {
        $rule.RemoteAddress = @(foreach ($address in $rule.RemoteAddress) {
            $network, $bits = $address -split '/'
            if ($bits -match '^\d+$') {
                $mask = [uint32]::MaxValue -shl (32 - [int]$bits)
                "$network/" + ((24, 16, 8, 0 | ForEach-Object { ($mask -shr $_) -band 255 }) -join '.')
            } else { $address }
        })
    }
    $rule
}

function Do-New-NetFirewallRule($Given) {
    if ((Load rules).Contains($Given.Name)) {
        Report 'Cannot create a file when that file already exists.' ResourceExists 'Windows System Error 183'
        return
    }
    $default = @{ Enabled = 'True'; Direction = 'Inbound'; Action = 'Allow'; Profile = 'Any'; Protocol = 'Any'; LocalPort = @('Any'); RemotePort = @('Any'); RemoteAddress = @('Any'); Program = 'Any'; Description = '' }
    Change rules $Given.Name $default
    Change rules $Given.Name (Rule $Given)
    Do-Get-NetFirewallRule @{ Name = @($Given.Name) }
}

function Do-Set-NetFirewallRule($Given) {
    foreach ($name in $Given.Name) {
        if (-not (Find rules $name 'CmdletizationQuery_NotFound_InstanceID')) { continue }
        $new = Rule $Given
        $new.Remove('Name')
        if ($new.Contains('NewDisplayName')) { $new.DisplayName = $new.NewDisplayName; $new.Remove('NewDisplayName') }
        Change rules $name $new
    }
}

function Do-Get-NetFirewallRule($Given) {
    if ([IO.File]::Exists("$folder\stopped")) {
        Report 'There are no more endpoints available from the endpoint mapper.' NotSpecified 'Windows System Error 1753'
        return
    }
    foreach ($name in $Given.Name) {
        $rule = Find rules $name 'CmdletizationQuery_NotFound_InstanceID'
        if ($rule) {
            [pscustomobject]@{
                Name = $name; DisplayName = $rule.DisplayName; Description = $rule.Description
                Enabled = [Enabled]$rule.Enabled; Direction = [Direction]$rule.Direction; Action = [Action]$rule.Action; Profile = [Profile]$rule.Profile
            }
        }
    }
}

function Do-Remove-NetFirewallRule($Given) { Drop rules $Given.InputObject[0].Name }

function Do-Get-NetFirewallPortFilter($Given) {
    $rule = (Load rules)[$Given.AssociatedNetFirewallRule.Name]
    [pscustomobject]@{ Protocol = $rule.Protocol; LocalPort = $rule.LocalPort; RemotePort = $rule.RemotePort }
}

function Do-Get-NetFirewallAddressFilter($Given) { [pscustomobject]@{ RemoteAddress = (Load rules)[$Given.AssociatedNetFirewallRule.Name].RemoteAddress } }
function Do-Get-NetFirewallApplicationFilter($Given) { [pscustomobject]@{ Program = (Load rules)[$Given.AssociatedNetFirewallRule.Name].Program } }

# --- LocalAccounts

function Account([string] $Name) {
    $user = (Load users)[$Name]
    [pscustomobject]@{
        Name = $Name; SID = [Security.Principal.SecurityIdentifier]::new($user.SID); FullName = $user.FullName; Description = $user.Description; Enabled = $user.Enabled
        PasswordExpires = if ($user.PasswordNeverExpires) { $null } else { [datetime]'2030-01-01' }; UserMayChangePassword = $user.UserMayChangePassword
    }
}

function Do-Get-LocalUser($Given) { foreach ($name in $Given.Name) { if (Find users $name 'UserNotFound') { Account $name } } }

function Do-New-LocalUser($Given) {
    if (-not $Given.Password -and -not $Given.NoPassword) { throw 'Parameter set cannot be resolved using the specified named parameters.' }
    Change users $Given.Name @{ SID = 'S-1-5-21-1-2-3-' + (1000 + (Load users).Count); FullName = ''; Description = ''; Enabled = -not $Given.Disabled; PasswordNeverExpires = $false; UserMayChangePassword = $true; Groups = @() }
    Account $Given.Name
}

function Do-Set-LocalUser($Given) {
    $new = @{}
    foreach ($key in 'FullName', 'Description', 'PasswordNeverExpires', 'UserMayChangePassword') { if ($Given.ContainsKey($key)) { $new[$key] = $Given[$key] } }
    Change users $Given.Name $new
}

function Do-Enable-LocalUser($Given) { Change users $Given.Name[0] @{ Enabled = $true } }
function Do-Disable-LocalUser($Given) { Change users $Given.Name[0] @{ Enabled = $false } }
function Do-Remove-LocalUser($Given) { Drop users $Given.Name[0] }

function Do-Get-LocalGroup($Given) {
    if ("$($Given.SID)" -eq 'S-1-5-32-544') { return [pscustomobject]@{ Name = 'Administratoren'; SID = $Given.SID[0] } }
    Report 'Group was not found.' ObjectNotFound 'GroupNotFound'
}

function Do-Add-LocalGroupMember($Given) { Change users $Given.Member[0].Name @{ Groups = @((Load users)[$Given.Member[0].Name].Groups) + $Given.Group.Name } }

# --- ScheduledTasks

function Do-New-ScheduledTaskAction($Given) { [pscustomobject]@{ Execute = $Given.Execute; Arguments = $Given.Argument; WorkingDirectory = $Given.WorkingDirectory } }
function Do-New-ScheduledTaskPrincipal($Given) { [pscustomobject]@{ UserId = $Given.UserId; GroupId = $Given.GroupId; RunLevel = "$($Given.RunLevel)" } }
function Do-New-ScheduledTaskSettingsSet($Given) {
    $limit = if ($Given.ContainsKey('ExecutionTimeLimit')) { $Given.ExecutionTimeLimit } else { [timespan]'3.00:00:00' }
    [pscustomobject]@{ ExecutionTimeLimit = [Xml.XmlConvert]::ToString($limit) }
}

function Do-New-ScheduledTaskTrigger($Given) {
    $class = if ($Given.AtStartup) { 'MSFT_TaskBootTrigger' } elseif ($Given.Daily) { 'MSFT_TaskDailyTrigger' } else { 'MSFT_TaskTimeTrigger' }
    [pscustomobject]@{ CimClass = [pscustomobject]@{ CimClassName = $class }; StartBoundary = if ($Given.At) { $Given.At.ToString('s') } }
}

function Do-Register-ScheduledTask($Given) {
    $name = "$($Given.TaskPath)$($Given.TaskName)"
    if ((Load tasks).Contains($name) -and -not $Given.Force) { throw 'Cannot create a file when that file already exists.' }
    Drop tasks $name
    Change tasks $name @{ Actions = @($Given.Action); Triggers = @($Given.Trigger); Principal = $Given.Principal; Settings = $Given.Settings; Description = $Given.Description; State = 'Ready' }
    Do-Get-ScheduledTask @{ TaskPath = @($Given.TaskPath); TaskName = @($Given.TaskName) }
}

function Do-Get-ScheduledTask($Given) {
    $task = Find tasks "$($Given.TaskPath)$($Given.TaskName)" 'CmdletizationQuery_NotFound_TaskName'
    if (-not $task) { return }
    $task.TaskName = $Given.TaskName[0]
    if ($task.Process -and (Get-Process -Id $task.Process -ErrorAction SilentlyContinue)) { $task.State = 'Running' }
    [pscustomobject]$task
}

function Do-Start-ScheduledTask($Given) {
    $name = "$($Given.TaskPath)$($Given.TaskName)"
    $action = (Load tasks)[$name].Actions[0]
    $start = [Diagnostics.ProcessStartInfo]::new($action.Execute, $action.Arguments)
    if ($action.Execute -eq 'powershell.exe') { $start.FileName = 'C:\windows\system32\WindowsPowerShell\v1.0\powershell.exe' }
    $start.UseShellExecute = $true
    Change tasks $name @{ Process = [Diagnostics.Process]::Start($start).Id }
}

function Do-Disable-ScheduledTask($Given) { Change tasks "$($Given.TaskPath)$($Given.TaskName)" @{ State = 'Disabled' } }
function Do-Unregister-ScheduledTask($Given) { Drop tasks "$($Given.TaskPath)$($Given.TaskName)" }

# --- ServerManager

function Feature([string] $Name) { [pscustomobject]@{ Name = $Name; InstallState = if ((Load features)[$Name]) { 'Installed' } else { 'Available' } } }
function Do-Get-WindowsFeature($Given) { foreach ($name in $Given.Name) { if ($name -in 'Containers', 'Web-Server') { Feature $name } } }

function Do-Install-WindowsFeature($Given) {
    foreach ($name in $Given.Name) { Change features $name @{ Installed = $true } }
    [pscustomobject]@{ Success = $true; RestartNeeded = 'No'; ExitCode = 'Success' }
}

function Do-Uninstall-WindowsFeature($Given) {
    foreach ($name in $Given.Name) { Drop features $name }
    [pscustomobject]@{ Success = $true; RestartNeeded = 'No'; ExitCode = 'Success' }
}

# --- Defender. The services of Defender and the firewall do not run while the file "stopped" is there.

# The error of Defender while its service does not run, as CIM gives it: without an HRESULT of its own.
function Test-Stopped {
    if (-not [IO.File]::Exists("$folder\stopped")) { return $false }
    $said = 'Operation failed with the following error: 0x800106ba. '
    Report $said NotSpecified 'HRESULT 0x800106ba' ([Microsoft.Management.Infrastructure.CimException]::new($said))
    $true
}

function Do-Get-MpPreference($Given) {
    if (Test-Stopped) { return }
    $state = Load defender
    [pscustomobject]@{ ExclusionPath = $state.ExclusionPath; ExclusionProcess = $state.ExclusionProcess; ExclusionExtension = $state.ExclusionExtension }
}

function Do-Add-MpPreference($Given) {
    if (Test-Stopped) { return }
    $state = Load defender
    foreach ($key in $Given.Keys) { $state[$key] = @(@($state[$key]) + $Given[$key] | Where-Object { $_ } | Sort-Object -Unique) }
    Save defender $state
}

function Do-Remove-MpPreference($Given) {
    if (Test-Stopped) { return }
    $state = Load defender
    foreach ($key in @($Given.Keys)) { $state[$key] = @($state[$key] | Where-Object { $_ -and $Given[$key] -notcontains $_ }) }
    Save defender $state
}

# --- CimCmdlets

function Do-Get-CimInstance($Given) {
    if ($Given.ClassName -eq 'Win32_OperatingSystem') { return [pscustomobject]@{ ProductType = 3; LastBootUpTime = [datetime]'2026-01-02T03:04:05Z' } }
    if ($Given.ClassName -eq 'Win32_GroupUser' -and $Given.Filter -match "Name='(.*)'""$") {
        return (Load users)[$Matches[1].Replace("\'", "'")].Groups | ForEach-Object { [pscustomobject]@{ GroupComponent = [pscustomobject]@{ Name = $_ } } }
    }
    throw "the stub has no class $($Given.ClassName) with the filter $($Given.Filter)"
}
