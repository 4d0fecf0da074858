# Takes the lock $lockFile for $lockToken when there is none, when it is its own already,
# when it is older than $lifetime seconds or when it is that of $deadToken, which has
# died, and prints "taken"; else it prints what is in it. The file is open for one process at a time, so two runs at the same moment do
# not both win; a process that was killed keeps nothing open.
[void][IO.Directory]::CreateDirectory([IO.Path]::GetDirectoryName($lockFile))
$file = $null
$until = [DateTime]::UtcNow.AddSeconds($busyTime)
while (-not $file) {
    try {
        $file = [IO.File]::Open($lockFile, 'OpenOrCreate', 'ReadWrite', 'None')
    } catch {
        if ([DateTime]::UtcNow -gt $until) { throw }
        Start-Sleep -Milliseconds 100
    }
}
try {
    $bytes = New-Object byte[] 4096
    $count = $file.Read($bytes, 0, 4096)
    $holder, $at = [Text.Encoding]::UTF8.GetString($bytes, 0, $count).Trim() -split ' '
    $now = [long]([DateTime]::UtcNow - [DateTime]'1970-01-01').TotalSeconds
    if ($holder -and $holder -ne $lockToken -and $holder -ne $deadToken -and $now - [long]$at -le $lifetime) {
        [Console]::Out.Write("$holder $at`n")
        exit 0
    }
    $bytes = [Text.Encoding]::UTF8.GetBytes("$lockToken $now`n")
    $file.SetLength(0)
    $file.Write($bytes, 0, $bytes.Length)
    $file.Flush()
    [Console]::Out.Write("taken`n")
} finally {
    $file.Dispose()
}
