# Removes the lock $lockFile if it is that of $lockToken, and folders that are empty then.
if ([IO.File]::Exists($lockFile)) {
    $holder = ([IO.File]::ReadAllText($lockFile).Trim() -split ' ')[0]
    if ($holder -eq $lockToken) { [IO.File]::Delete($lockFile) }
}
$folder = [IO.Path]::GetDirectoryName($lockFile)
foreach ($empty in $folder, [IO.Path]::GetDirectoryName($folder)) {
    try { [IO.Directory]::Delete($empty) } catch { break }
}
