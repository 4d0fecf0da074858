# Fetches a file with the curl of Windows into its part, where an earlier fetch ended or
# from the beginning, and tells the part's checksum.
$part = "$($Arguments.dest).part"
$parameters = @('--fail', '--silent', '--show-error', '--location', '--globoff', '--connect-timeout', '30',
    '--speed-limit', '1', '--speed-time', '60', '--continue-at', '-', '--output', $part)
$authority = "$($Arguments.dest).ca"
if ($Arguments.ca) {
    [IO.File]::WriteAllText($authority, $Arguments.ca)
    $parameters += @('--cacert', $authority, '--ssl-no-revoke')
}
$resumed = [IO.File]::Exists($part)
$null = & curl.exe @parameters --url $Arguments.url
$code = $LASTEXITCODE
[IO.File]::Delete($authority)
$sum = ''
if ([IO.File]::Exists($part)) {
    $sum = (Get-FileHash -LiteralPath $part -Algorithm SHA256).Hash.ToLowerInvariant()
}
if ($sum -eq $Arguments.sha256) {
    Move-Item -LiteralPath $part -Destination $Arguments.dest -Force
} elseif ($code -eq 0 -or $code -eq 22 -or $code -eq 33 -or $code -eq 36) {
    [IO.File]::Delete($part)
}
@{ code = $code; resumed = $resumed; sha256 = $sum }
