# What every script of a module begins with. Its input begins with its arguments: 8
# digits, the number of bytes that follow, and as many bytes of base64, which is JSON
# in UTF-8. What comes after them is the script's own.
function Read-Text([int] $Count) {
    $bytes = [byte[]]::new($Count)
    $done = 0
    while ($done -lt $Count) {
        $read = $KinitInput.Read($bytes, $done, $Count - $done)
        if ($read -le 0) {
            throw 'The input ended before the arguments were complete.'
        }
        $done += $read
    }
    [Text.Encoding]::ASCII.GetString($bytes)
}

# Runs a program with plain arguments: Windows PowerShell does not pass on quotes that
# are in them. A code that is not expected is an error with what the program printed.
function Invoke-Program([string] $Program, [string[]] $Parameters, [int[]] $Codes = @(0)) {
    $text = & $Program @Parameters
    if ($Codes -notcontains $LASTEXITCODE) {
        throw ('{0} ended with code {1}: {2}' -f $Program, $LASTEXITCODE, ($text -join "`n").Trim())
    }
    $text
}

# What a command finds, and nothing if there is no such object. Any other error is thrown: a service that does not run
# must not look like an object that is missing.
function Find-Existing([scriptblock] $Command) {
    try {
        & $Command
    } catch {
        if ($_.CategoryInfo.Category.ToString() -ne 'ObjectNotFound') {
            throw
        }
    }
}

# Whether an error is Defender's while its service does not run, or its classes are gone with another antivirus. The
# exception has no HRESULT of its own; the identifier has it.
function Test-DefenderStopped($Problem) {
    $Problem.FullyQualifiedErrorId -like 'HRESULT 0x800106ba*' -or $Problem.FullyQualifiedErrorId -like 'HRESULT 0x80041010*'
}

$json = [Convert]::FromBase64String((Read-Text ([int](Read-Text 8))))
$Arguments = [Text.Encoding]::UTF8.GetString($json) | ConvertFrom-Json
