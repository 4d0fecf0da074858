# What powershell.exe is called with, for every command. It must not name the
# variable that stands for the piped input, or PowerShell would read stdin itself.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
# Without a console, which some servers give a command, this cannot be set.
try { [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false } catch { }
$KinitInput = [Console]::OpenStandardInput()
$kinitText = ''
$kinitNeed = 8
foreach ($kinitPart in 'length', 'script') {
    $kinitBytes = New-Object byte[] $kinitNeed
    $kinitHave = 0
    while ($kinitHave -lt $kinitNeed) {
        $kinitRead = $KinitInput.Read($kinitBytes, $kinitHave, $kinitNeed - $kinitHave)
        if ($kinitRead -le 0) {
            [Console]::Error.WriteLine('kinit: the input ended before the script was complete')
            exit 250
        }
        $kinitHave += $kinitRead
    }
    $kinitText = [Text.Encoding]::ASCII.GetString($kinitBytes)
    if ($kinitPart -eq 'length') { $kinitNeed = [int]$kinitText }
}
$kinitText = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($kinitText))
[Console]::Out.Write("#kinit $PID`n")
[Console]::Out.Flush()
$global:LASTEXITCODE = 0
$kinitFailure = $null
& {
    $kinitEnded = $false
    try {
        & ([scriptblock]::Create($kinitText))
        $kinitEnded = $true
    } catch {
        $global:kinitFailure = $_
        $kinitEnded = $true
    } finally {
        # PowerShell holds a table back until it knows its columns, and "exit" would drop it. The beginning of another
        # output releases it, and prints an empty line.
        if (-not $kinitEnded) { [pscustomobject]@{ kinit = 1 } | Format-List | Select-Object -First 1 }
    }
} | Out-Default
if ($kinitFailure) {
    # The message is last: the last line is what people see first. PowerShell keeps warnings until its end, and this
    # puts the message after them.
    $Host.UI.WriteErrorLine([string]$kinitFailure.InvocationInfo.PositionMessage)
    $Host.UI.WriteErrorLine([string]$kinitFailure.Exception.Message)
    exit 1
}
exit $LASTEXITCODE
