# Writes the input to a file that from its first byte on none but the system and
# administrators can read.
$path = $Arguments.path
$temporary = $Arguments.temporary
[IO.File]::Delete($temporary)
$security = [Security.AccessControl.FileSecurity]::new()
$security.SetSecurityDescriptorSddlForm('D:P(A;;FA;;;SY)(A;;FA;;;BA)')
$stream = [IO.File]::Create($temporary, 65536, [IO.FileOptions]::None, $security)
try {
    $KinitInput.CopyTo($stream)
} finally {
    $stream.Dispose()
}
# Input that ends early must not replace the file.
$got = (Get-FileHash -LiteralPath $temporary -Algorithm SHA256).Hash
if ($got -ne $Arguments.sha256) {
    $size = [IO.FileInfo]::new($temporary).Length
    [IO.File]::Delete($temporary)
    throw "$size of $($Arguments.size) bytes arrived, with the SHA-256 $got instead of $($Arguments.sha256)"
}
Move-Item -LiteralPath $temporary -Destination $path -Force
