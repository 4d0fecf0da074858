# Writes the input to a file that from its first byte on none but the system and
# administrators can read.
$path = $Arguments.path
$temporary = "$path.kinit-new"
[IO.File]::Delete($temporary)
$security = [Security.AccessControl.FileSecurity]::new()
$security.SetSecurityDescriptorSddlForm('D:P(A;;FA;;;SY)(A;;FA;;;BA)')
$stream = [IO.File]::Create($temporary, 65536, [IO.FileOptions]::None, $security)
try {
    $KinitInput.CopyTo($stream)
} finally {
    $stream.Dispose()
}
Move-Item -LiteralPath $temporary -Destination $path -Force
