# One operation on the lock of an owner, as lock.sh has it, from the values of $lock: op,
# folder, owner, token, run, lifetime, dead and away, times in hundredths of a second. The
# clock is the machine's counter, which begins with each start: one that went back is that
# of another start. Beside the file "holder" there is "run.NAME" for as long as the run may
# work; commands look for it. Only one process at a time has the file open, so two runs at
# the same moment do not both win; one that was killed keeps nothing open.
$folder = "$($lock.folder)/$($lock.owner)"
$file = "$folder/holder"
$own = "$folder/run.$($lock.run)"
if ($lock.op -eq 'take') {
    [void][IO.Directory]::CreateDirectory($folder)
} elseif (-not [IO.File]::Exists($file)) {
    if ($lock.op -eq 'renew') { [Console]::Out.Write("lost`n") }
    exit 0
}
$stream = $null
for ($try = 0; -not $stream; $try++) {
    try {
        $stream = [IO.File]::Open($file, 'OpenOrCreate', 'ReadWrite', 'None')
    } catch {
        if ($try -ge 100) { throw }
        Start-Sleep -Milliseconds 100
    }
}
try {
    $now = [long]([Diagnostics.Stopwatch]::GetTimestamp() / ([Diagnostics.Stopwatch]::Frequency / 100))
    $bytes = New-Object byte[] 4096
    $count = $stream.Read($bytes, 0, 4096)
    $line = @([Text.Encoding]::UTF8.GetString($bytes, 0, $count) -split "`n")[0]
    $holder, $since, $until, $away = $line.Trim() -split ' '
    if (-not $away) { $holder = '' }
    $left = 0
    $most = 0
    if ($holder) {
        $most = [long]$away
        if ($now -ge [long]$since) {
            $left = [long]$until - $now
            if ($most -lt $lock.lifetime) { $most = $lock.lifetime }
        } else {
            $left = $most - $now
        }
    }
    $mine = $holder -and $holder -eq $lock.token
    if ($lock.op -eq 'renew' -and -not ($mine -and [IO.File]::Exists($own))) {
        [Console]::Out.Write("lost $holder`n")
        exit 0
    }
    if ($lock.op -eq 'take' -and $holder -and -not $mine -and $holder -ne $lock.dead -and $lock.dead -ne '*' -and $left -gt 0 -and $left -le $most) {
        [Console]::Out.Write("held $holder $([Math]::Max($now - [long]$since, 0)) $left $until`n")
        exit 0
    }
    if ($lock.op -eq 'release') {
        [IO.File]::Delete($own)
        if ($mine) { $stream.SetLength(0) }
    } else {
        $was = '-'
        if ($holder -and -not $mine) { $was = $holder }
        if (-not $mine -or $now -lt [long]$since) { $since = $now }
        if ($lock.op -eq 'take') {
            foreach ($old in [IO.Directory]::GetFiles($folder)) {
                $name = [IO.Path]::GetFileName($old)
                if ($name.StartsWith('run.') -and $name -ne "run.$($lock.run)") { [IO.File]::Delete($old) }
            }
            [IO.File]::WriteAllText($own, '')
        }
        $until = $now + $lock.lifetime
        if ($lock.away -gt 0) { $until = $now + $lock.away }
        $bytes = [Text.Encoding]::UTF8.GetBytes("$($lock.token) $since $until $($lock.away)`n")
        # The line replaces the old one before the rest is cut off: a script that is killed in
        # between leaves a lock with a holder.
        $stream.Position = 0
        $stream.Write($bytes, 0, $bytes.Length)
        $stream.Flush()
        $stream.SetLength($bytes.Length)
        if ($lock.op -eq 'take') { [Console]::Out.Write("taken $($lock.folder) $was 0`n") } else { [Console]::Out.Write("renewed`n") }
    }
} finally {
    $stream.Dispose()
}
if ($lock.op -eq 'release' -and (-not $holder -or $mine)) {
    try {
        [IO.File]::Delete($file)
        foreach ($empty in $folder, $lock.folder, [IO.Path]::GetDirectoryName($lock.folder)) { [IO.Directory]::Delete($empty) }
    } catch { }
}
