# The last of the cluster on this machine: the way to the overlay, by which it may have been
# reached until now, and the record.
if ([IO.File]::Exists("$($Arguments.folder)\record.json")) {
    $record = [IO.File]::ReadAllText("$($Arguments.folder)\record.json") | ConvertFrom-Json
    $route = $record.traces.route
    if ($route.gateway -and -not $record.before.route) {
        $null = & route.exe delete $route.network mask $route.mask $route.gateway
        $row = '^\s*{0}\s+{1}\s+{2}\s' -f [regex]::Escape($route.network), [regex]::Escape($route.mask), [regex]::Escape($route.gateway)
        $rows = @(& route.exe print -4 | Where-Object { $_ -match $row })
        if ($rows.Count -gt 0) {
            throw "route.exe did not remove the route to $($route.network): $($rows[0].Trim())"
        }
    }
}
[IO.Directory]::Delete($Arguments.folder, $true)
# Folders of kinit, in which others may have something.
foreach ($path in 'C:\ProgramData\kinit\clusters', 'C:\ProgramData\kinit\jobs', 'C:\ProgramData\kinit') {
    if ([IO.Directory]::Exists($path) -and [IO.Directory]::GetFileSystemEntries($path).Count -eq 0) {
        [IO.Directory]::Delete($path)
    }
}
