# What the scripts on the CD have in common. Windows PowerShell 5.1.
# Commands that are functions of modules, such as those of the firewall, see only global preferences.
$global:ErrorActionPreference = 'Stop'
$global:ProgressPreference = 'SilentlyContinue'
$KinitFolder = Join-Path $env:ProgramData 'kinit'

# Says what is done: in the transcript, and on the first serial port, where the
# hypervisor reads it. A machine without one goes on all the same.
function Write-Status([string]$Text) {
    Write-Host $Text
    try {
        $port = New-Object -TypeName System.IO.Ports.SerialPort -ArgumentList 'COM1'
        $port.WriteTimeout = 2000
        $port.Open()
        $port.WriteLine('kinit: ' + $Text)
        $port.Close()
    } catch {
        Write-Host ('not said on the serial port: ' + $_.Exception.Message)
    }
}

# Says why a script failed, in one line.
function Write-Failure($Problem) {
    $text = $Problem.Exception.Message + ' (' + $Problem.InvocationInfo.ScriptName + ', line ' + $Problem.InvocationInfo.ScriptLineNumber + ')'
    Write-Status ('failed: ' + ($text -replace '\s+', ' '))
}

# What the CD says of this computer.
function Get-Node([string]$Folder) {
    Get-Content -LiteralPath (Join-Path $Folder 'kinit-node.json') -Raw -Encoding UTF8 | ConvertFrom-Json
}

# Runs a program and throws when it ends with another code than these.
function Invoke-Native([string]$Program, [string[]]$Arguments, [int[]]$Codes = @(0)) {
    # What a program writes to standard error would else end the script.
    $ErrorActionPreference = 'Continue'
    $output = & $Program $Arguments 2>&1 | Out-String
    $code = $LASTEXITCODE
    if ($Codes -notcontains $code) {
        throw ($Program + ' ended with code ' + $code + ': ' + $output.Trim())
    }
}

function Set-RegistryValue([string]$Path, [string]$Name, [string]$Type, $Value) {
    if (-not (Test-Path -LiteralPath $Path)) {
        New-Item -Path $Path -Force | Out-Null
    }
    New-ItemProperty -LiteralPath $Path -Name $Name -PropertyType $Type -Value $Value -Force | Out-Null
}

# Copies a file of the CD without the mark of a read-only one.
function Copy-FromCD([string]$Source, [string]$Target) {
    New-Item -Path (Split-Path -Path $Target -Parent) -ItemType Directory -Force | Out-Null
    [System.IO.File]::WriteAllBytes($Target, [System.IO.File]::ReadAllBytes($Source))
}

# Leaves a file to the system and to administrators alone, by their SIDs: names are in
# the system's language.
function Protect-File([string]$Path) {
    Invoke-Native 'icacls.exe' @($Path, '/inheritance:r', '/grant:r', '*S-1-5-18:F', '*S-1-5-32-544:F')
    Invoke-Native 'icacls.exe' @($Path, '/setowner', '*S-1-5-32-544')
}

# Puts a driver of virtio-win into the store and onto its device. It is on whichever
# drive has it; where none has, nothing is done.
function Install-Driver([string]$Driver, [string]$Edition) {
    foreach ($drive in Get-PSDrive -PSProvider FileSystem) {
        $folder = $drive.Root + $Driver + '\' + $Edition + '\amd64'
        if (Test-Path -LiteralPath $folder) {
            Write-Status ('installs the driver ' + $Driver)
            # 259: the store has it already; 3010: a restart would finish it.
            Invoke-Native 'pnputil.exe' @('/add-driver', ($folder + '\*.inf'), '/install') @(0, 259, 3010)
            return
        }
    }
}

# Installs OpenSSH's server from the CD, unless the system has it. Without either there
# is none.
function Install-OpenSSH([string]$Folder) {
    $package = Join-Path $Folder 'openssh.msi'
    if ((Get-Service -Name sshd -ErrorAction SilentlyContinue) -or -not (Test-Path -LiteralPath $package)) {
        return
    }
    Write-Status 'installs OpenSSH'
    $arguments = @('/i', ('"' + $package + '"'), '/qn', '/norestart', 'ADDLOCAL=Server')
    $msi = Start-Process -FilePath msiexec.exe -ArgumentList $arguments -Wait -PassThru
    if (@(0, 3010) -notcontains $msi.ExitCode) {
        throw ('the installation of OpenSSH ended with code ' + $msi.ExitCode)
    }
}

# Automatic login ends, and no copy of the answers, which contain
# passwords, is left.
function Remove-Answers {
    $logon = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'
    Set-RegistryValue $logon 'AutoAdminLogon' 'String' '0'
    foreach ($name in @('DefaultPassword', 'DefaultUserName', 'AutoLogonCount')) {
        Remove-ItemProperty -LiteralPath $logon -Name $name -ErrorAction SilentlyContinue
    }
    $copies = @('Panther\unattend.xml', 'Panther\unattend-original.xml', 'Panther\Unattend\unattend.xml', 'System32\Sysprep\unattend.xml')
    foreach ($copy in $copies) {
        Remove-Item -LiteralPath (Join-Path $env:SystemRoot $copy) -Force -ErrorAction SilentlyContinue
    }
    Remove-Item -LiteralPath (Join-Path $KinitFolder 'sealed.xml') -Force -ErrorAction SilentlyContinue
}

# Settings that every computer of kinit has, and that a sealed image keeps.
function Set-Policies {
    # Set-ExecutionPolicy would complain about the policy of this process.
    foreach ($root in @('HKLM:\SOFTWARE', 'HKLM:\SOFTWARE\WOW6432Node')) {
        Set-RegistryValue ($root + '\Microsoft\PowerShell\1\ShellIds\Microsoft.PowerShell') 'ExecutionPolicy' 'String' 'RemoteSigned'
    }
    # Windows does not ask whether a network is private.
    New-Item -Path 'HKLM:\SYSTEM\CurrentControlSet\Control\Network\NewNetworkWindowOff' -Force | Out-Null
    # Administrators other than the built-in one have their rights over the network too.
    Set-RegistryValue 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Policies\System' 'LocalAccountTokenFilterPolicy' 'DWord' 1
    if (Get-Command -Name Set-SConfig -ErrorAction SilentlyContinue) {
        Set-SConfig -AutoLaunch $false
    }
}
