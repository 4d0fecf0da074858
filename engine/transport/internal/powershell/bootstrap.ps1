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
try {
    & ([scriptblock]::Create($kinitText))
} catch {
    # The message is last: the last line is what people see first.
    [Console]::Error.WriteLine([string]$_.InvocationInfo.PositionMessage)
    [Console]::Error.WriteLine([string]$_.Exception.Message)
    exit 1
}
exit $LASTEXITCODE
