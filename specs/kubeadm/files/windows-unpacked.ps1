# Ends with 0 when the archive has been unpacked.
$record = "$($Arguments.archive).unpacked"
if (-not [IO.File]::Exists($record) -or -not [IO.File]::Exists($Arguments.shows)) {
    exit 1
}
if ([IO.File]::ReadAllText($record) -ne $Arguments.sha256) {
    exit 1
}
