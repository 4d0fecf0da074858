# The owner, and with private the access of a folder: SYSTEM (S-1-5-18) and the
# administrators (S-1-5-32-544) alone.
try {
    $item = Get-Item -LiteralPath $Arguments.path -Force
    # icacls wants backslashes, and a star before a SID.
    $path = $Arguments.path.Replace('/', '\')
    $owner = $Arguments.owner
    if ($owner -like 'S-1-*') { $owner = "*$owner" }
    if ($owner) {
        $said = icacls.exe $path /setowner $owner /L /Q
        if ($LASTEXITCODE -ne 0) { throw "icacls could not make $($Arguments.owner) the owner: code $LASTEXITCODE $said" }
    }
    if ($Arguments.private -and $item.PSIsContainer) {
        $said = icacls.exe $path /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' /Q
        if ($LASTEXITCODE -ne 0) { throw "icacls could not remove the access of other users: code $LASTEXITCODE $said" }
    }
    Answer @{ }
} catch { Fail $_ }
