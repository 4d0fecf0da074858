# Brings a script to PowerShell by its standard input: 8 digits, so many bytes of base64
# of the script in UTF-8, and then the script's own input.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$KinitInput = [Console]::OpenStandardInput()
$hostText = ''
$hostNeed = 8
foreach ($hostPart in 'length', 'script') {
    $hostBytes = New-Object byte[] $hostNeed
    $hostHave = 0
    while ($hostHave -lt $hostNeed) {
        $hostRead = $KinitInput.Read($hostBytes, $hostHave, $hostNeed - $hostHave)
        if ($hostRead -le 0) { exit 250 }
        $hostHave += $hostRead
    }
    $hostText = [Text.Encoding]::ASCII.GetString($hostBytes)
    if ($hostPart -eq 'length') { $hostNeed = [int]$hostText }
}
$hostText = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($hostText))
$global:LASTEXITCODE = 0
try {
    & ([scriptblock]::Create($hostText))
} catch {
    [Console]::Error.WriteLine($_.InvocationInfo.PositionMessage)
    [Console]::Error.WriteLine($_.Exception.Message)
    exit 1
}
exit $LASTEXITCODE
