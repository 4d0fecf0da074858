# Makes a computer reachable by WinRM over HTTPS and by SSH. It runs at the first login,
# from the CD it is on, and may be run again. Ports are opened when all else is done, and
# the marker is written last: who finds it finds all of it.
. (Join-Path $PSScriptRoot 'kinit-common.ps1')

# The card's driver where Setup did not install it, a link, the size of packets.
function Initialize-Network($Node) {
    if (-not (Get-NetAdapter -Physical -ErrorAction SilentlyContinue)) {
        Install-Driver 'NetKVM' $Node.edition
    }
    Write-Status 'waits for the network'
    $deadline = (Get-Date).AddMinutes(10)
    while (-not (Get-NetAdapter -Physical -ErrorAction SilentlyContinue | Where-Object { $_.Status -eq 'Up' })) {
        if ((Get-Date) -gt $deadline) {
            throw 'no network card was up within 10 minutes'
        }
        Start-Sleep -Seconds 2
    }
    if ($Node.mtu -gt 0) {
        # A card that is off, or has no IPv4, has no such setting.
        foreach ($card in Get-NetAdapter -Physical | Where-Object { $_.Status -eq 'Up' }) {
            Get-NetIPInterface -InterfaceIndex $card.ifIndex -AddressFamily IPv4 -ErrorAction SilentlyContinue |
                Set-NetIPInterface -NlMtuBytes $Node.mtu
        }
    }
    try {
        Get-NetConnectionProfile | Where-Object { $_.NetworkCategory -eq 'Public' } | Set-NetConnectionProfile -NetworkCategory Private
    } catch {
        # Rules of the firewall are for every category, so this one may stay.
        Write-Host ('the network stays public: ' + $_.Exception.Message)
    }
}

# The built-in administrator's password, which must not expire: there is no one to
# change it.
function Initialize-Administrator($Node) {
    $administrator = Get-LocalUser | Where-Object { $_.SID.Value -like 'S-1-5-21-*-500' }
    if ($Node.password) {
        $password = ConvertTo-SecureString -String $Node.password -AsPlainText -Force
        Set-LocalUser -SID $administrator.SID -Password $password
    }
    Set-LocalUser -SID $administrator.SID -PasswordNeverExpires $true
}

# Sets a value that is another one. Windows refuses to set some while a network is public, even to what they are.
function Set-WinRM([string]$Name, [string]$Value) {
    $path = Join-Path 'WSMan:\localhost' $Name
    if ((Get-Item -Path $path).Value -ne $Value) {
        Set-Item -Path $path -Value $Value -Force
    }
}

# WinRM over HTTPS with the certificate that is on the CD. Passwords never travel
# unencrypted.
function Enable-WinRM($Node) {
    Write-Status 'sets up WinRM'
    $password = ConvertTo-SecureString -String $Node.pfx_password -AsPlainText -Force
    $certificate = Import-PfxCertificate -FilePath (Join-Path $PSScriptRoot 'winrm.pfx') -CertStoreLocation Cert:\LocalMachine\My -Password $password
    Enable-PSRemoting -SkipNetworkProfileCheck -Force | Out-Null
    Get-ChildItem -Path WSMan:\localhost\Listener | Where-Object { $_.Keys -contains 'Transport=HTTPS' } | Remove-Item -Recurse -Force
    New-Item -Path WSMan:\localhost\Listener -Transport HTTPS -Address '*' -CertificateThumbPrint $certificate.Thumbprint -Force | Out-Null
    Set-WinRM 'Service\Auth\Basic' 'true'
    Set-WinRM 'Service\AllowUnencrypted' 'false'
    Set-WinRM 'MaxTimeoutms' '1800000'
    # Installers are children of the shell: their memory counts.
    if ([int](Get-Item -Path WSMan:\localhost\Shell\MaxMemoryPerShellMB).Value -lt 2048) {
        Set-Item -Path WSMan:\localhost\Shell\MaxMemoryPerShellMB -Value 2048 -Force -WarningAction SilentlyContinue
    }
    # Right after the start much else wants to run; a plain automatic start is less
    # reliable.
    Invoke-Native 'sc.exe' @('config', 'WinRM', 'start=', 'delayed-auto')
}

# SSH with the host key and for the keys that are on the CD.
function Enable-SSH {
    Install-OpenSSH $PSScriptRoot
    if (-not (Get-Service -Name sshd -ErrorAction SilentlyContinue)) {
        Write-Status 'goes on without SSH: there is no server'
        return $false
    }
    Write-Status 'sets up SSH'
    Stop-Service -Name sshd -Force
    $files = @{ 'authorized_keys' = 'administrators_authorized_keys'; 'ssh_host_ed25519_key' = 'ssh_host_ed25519_key'; 'ssh_host_ed25519_key.pub' = 'ssh_host_ed25519_key.pub' }
    foreach ($name in $files.Keys) {
        $source = Join-Path $PSScriptRoot $name
        if (Test-Path -LiteralPath $source) {
            $target = Join-Path $env:ProgramData ('ssh\' + $files[$name])
            Copy-FromCD $source $target
            Protect-File $target
        }
    }
    Set-RegistryValue 'HKLM:\SOFTWARE\OpenSSH' 'DefaultShell' 'String' (Join-Path $env:SystemRoot 'System32\WindowsPowerShell\v1.0\powershell.exe')
    Invoke-Native 'sc.exe' @('config', 'sshd', 'start=', 'delayed-auto')
    Start-Service -Name sshd
    return $true
}

function Enable-RemoteDesktop {
    Set-RegistryValue 'HKLM:\SYSTEM\CurrentControlSet\Control\Terminal Server' 'fDenyTSConnections' 'DWord' 0
    # The group's name is in the system's language, the resource is not.
    Enable-NetFirewallRule -Group '@FirewallAPI.dll,-28752'
}

function Open-Port([string]$Name, [int]$Port) {
    Remove-NetFirewallRule -Name $Name -ErrorAction SilentlyContinue
    New-NetFirewallRule -Name $Name -DisplayName $Name -Direction Inbound -Protocol TCP -LocalPort $Port -Profile Any -Action Allow | Out-Null
}

# Where the specialize pass did not give the computer its name, it is given now, and this
# script goes on after a restart.
function Restart-WithName([string]$Name) {
    Write-Status 'restarts to take its name'
    $action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument ('-NoProfile -ExecutionPolicy Bypass -File "' + $PSCommandPath + '"')
    $trigger = New-ScheduledTaskTrigger -AtStartup
    Register-ScheduledTask -TaskName 'kinit-setup' -Action $action -Trigger $trigger -User 'SYSTEM' -RunLevel Highest -Force | Out-Null
    Rename-Computer -NewName $Name -Force
    Restart-Computer -Force
}

function Complete-Setup($Node) {
    foreach ($file in $Node.files) {
        Copy-FromCD (Join-Path $PSScriptRoot $file.name) $file.path
    }
    Unregister-ScheduledTask -TaskName 'kinit-setup' -Confirm:$false -ErrorAction SilentlyContinue
    Remove-Answers
}

# All of it, in order. False means that the computer restarts and goes on then.
function Invoke-Setup($Node) {
    if ($env:COMPUTERNAME -ne $Node.hostname) {
        Restart-WithName $Node.hostname
        return $false
    }
    Set-Policies
    Initialize-Administrator $Node
    Initialize-Network $Node
    Enable-WinRM $Node
    $ssh = Enable-SSH
    Enable-RemoteDesktop
    Complete-Setup $Node
    if ($ssh) {
        Open-Port 'kinit-ssh' 22
    }
    Open-Port 'kinit-winrm-https' 5986
    New-Item -Path (Split-Path -Path $Node.marker -Parent) -ItemType Directory -Force | Out-Null
    Set-Content -LiteralPath $Node.marker -Value $Node.hostname -Encoding Ascii
    return $true
}

New-Item -Path $KinitFolder -ItemType Directory -Force | Out-Null
Start-Transcript -Path (Join-Path $KinitFolder 'setup.log') -Append | Out-Null
$done = $false
$code = 0
try {
    Write-Status 'begins'
    $done = Invoke-Setup (Get-Node $PSScriptRoot)
} catch {
    Write-Failure $_
    $code = 1
}
if ($done) {
    Write-Status 'ready'
}
Stop-Transcript | Out-Null
# The login of the answers ends; the system's own account has none.
if ($done -and $env:USERNAME -ne ($env:COMPUTERNAME + '$')) {
    logoff.exe
}
exit $code
