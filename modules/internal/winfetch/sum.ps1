# The checksum of a file, empty for none.
$sum = ''
if ([IO.File]::Exists($Arguments.path)) {
    $sum = (Get-FileHash -LiteralPath $Arguments.path -Algorithm SHA256).Hash.ToLowerInvariant()
}
@{ sha256 = $sum; folder = [IO.Directory]::Exists($Arguments.path) }
