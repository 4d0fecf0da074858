# Constructs that the scripts of kinit use, one after the other.
param([Parameter(Mandatory = $true)] [string] $Name, [int[]] $Codes = @(0), [switch] $Loud)

function Read-Text([int] $Count) {
    $bytes = [byte[]]::new($Count)
    [Text.Encoding]::ASCII.GetString($bytes)
}

$ErrorActionPreference = 'Stop'
$table = @{ value = & $KinitScript; other = @(foreach ($i in 1..3) { $i * 2 }) }
$parameters = @{}
if ($Arguments.paths) { $parameters.Path = [string[]]$Arguments.paths }
$null = & curl.exe @parameters --url $Arguments.url 2>$null
$text = "$($table.value) and ${Name}: $env:TEMP\file"
switch -Wildcard ($text) {
    'a*' { 'begins with a'; break }
    default { 'other' }
}
do {
    Start-Sleep -Seconds 1
} while ([DateTime]::UtcNow -lt $until)
try {
    [IO.File]::Open("$PSScriptRoot\begun", [IO.FileMode]::CreateNew).Dispose()
} catch [IO.IOException], [UnauthorizedAccessException] {
    throw ('{0} ended with {1}' -f $Name, $LASTEXITCODE)
} finally {
    $stream.Close()
}
$object = [pscustomobject]@{ Name = $Name; Count = @($found | Where-Object { $_.Name -eq $Name }).Count }
$object | ConvertTo-Json -Compress -Depth 10
$long = @'
No $variable in here.
'@
exit $code
