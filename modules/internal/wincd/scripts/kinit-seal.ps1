# Turns a freshly installed system into an image: drivers, OpenSSH and settings that all
# copies have, then Sysprep. It runs at the first login, from the CD it is on. The
# computer turns itself off when, and only when, all of it is done.
. (Join-Path $PSScriptRoot 'kinit-common.ps1')

# Copies make their own keys, or get them from their CDs.
function Clear-SSH {
    if (-not (Get-Service -Name sshd -ErrorAction SilentlyContinue)) {
        return
    }
    Stop-Service -Name sshd -Force
    Set-Service -Name sshd -StartupType Manual
    Remove-Item -Path (Join-Path $env:ProgramData 'ssh\ssh_host_*') -Force -ErrorAction SilentlyContinue
}

# What is free is given back to the hypervisor.
function Compress-System($Node) {
    if ($Node.shrink) {
        Write-Status 'removes superseded components'
        Invoke-Native 'dism.exe' @('/Online', '/Cleanup-Image', '/StartComponentCleanup', '/ResetBase')
    }
    try {
        Optimize-Volume -DriveLetter C -ReTrim
    } catch {
        Write-Host ('free space was not given back: ' + $_.Exception.Message)
    }
}

function Get-ImageState {
    (Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State').ImageState
}

# Sysprep ends before the image is in its last state, and its code says nothing.
function Invoke-Sysprep {
    Write-Status 'seals the system'
    $folder = Join-Path $env:SystemRoot 'System32\Sysprep'
    $answers = Join-Path $KinitFolder 'sealed.xml'
    Copy-FromCD (Join-Path $PSScriptRoot 'sealed.xml') $answers
    Protect-File $answers
    $arguments = @('/generalize', '/oobe', '/mode:vm', '/quiet', '/quit', ('/unattend:' + $answers))
    Start-Process -FilePath (Join-Path $folder 'Sysprep.exe') -ArgumentList $arguments -Wait
    $deadline = (Get-Date).AddMinutes(10)
    while ((Get-ImageState) -ne 'IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE') {
        if ((Get-Date) -gt $deadline) {
            $log = Get-Content -LiteralPath (Join-Path $folder 'Panther\setuperr.log') -Tail 5 -ErrorAction SilentlyContinue | Out-String
            throw ('Sysprep left the image as ' + (Get-ImageState) + ': ' + $log.Trim())
        }
        Start-Sleep -Seconds 5
    }
}

New-Item -Path $KinitFolder -ItemType Directory -Force | Out-Null
Start-Transcript -Path (Join-Path $KinitFolder 'seal.log') -Append | Out-Null
$code = 0
try {
    Write-Status 'begins'
    $node = Get-Node $PSScriptRoot
    Set-Policies
    foreach ($driver in @('NetKVM', 'viorng')) {
        Install-Driver $driver $node.edition
    }
    Install-OpenSSH $PSScriptRoot
    Clear-SSH
    Compress-System $node
    Remove-Answers
    Invoke-Sysprep
    Write-Status 'sealed'
} catch {
    Write-Failure $_
    $code = 1
}
Stop-Transcript | Out-Null
if ($code -eq 0) {
    Stop-Computer -Force
}
exit $code
