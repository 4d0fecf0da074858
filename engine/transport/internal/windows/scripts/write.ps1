# The input is parts: 8 digits, and so many bytes. After one of no bytes comes the
# SHA-256 of all, which must be that of the temporary file before it gets its name.
# A negative count says that there is no more, because the source failed.
function ReadAll($count) {
    $bytes = New-Object byte[] $count
    $have = 0
    while ($have -lt $count) {
        $n = $KinitInput.Read($bytes, $have, $count - $have)
        if ($n -le 0) { throw 'the input ended before the file was complete' }
        $have += $n
    }
    return , $bytes
}

function ReadText($count) {
    return [Text.Encoding]::ASCII.GetString((ReadAll $count))
}

$file = $null
try {
    if ([IO.Directory]::Exists($Arguments.path)) { throw 'it is a folder' }
    $file = [IO.File]::Open($Arguments.temporary, 'CreateNew', 'Write', 'None')
    while ($true) {
        $count = [int](ReadText 8)
        if ($count -eq 0) { break }
        if ($count -lt 0) { throw 'the source failed' }
        $bytes = ReadAll $count
        $file.Write($bytes, 0, $count)
    }
    $file.Flush($true)
    $file.Dispose()
    $want = ReadText 64
    $got = (Get-FileHash -LiteralPath $Arguments.temporary -Algorithm SHA256).Hash
    if ($got -ne $want) { throw "the file arrived damaged: its SHA-256 is $got and must be $want" }
    MoveOver $Arguments.temporary $Arguments.path
    Answer @{ }
} catch {
    Fail $_
    if ($file) {
        $file.Dispose()
        [IO.File]::Delete($Arguments.temporary)
    }
}
