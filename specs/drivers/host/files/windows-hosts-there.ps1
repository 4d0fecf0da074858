# Ends with 0 when the hosts file has the line, and no other of the cluster.
$path = 'C:\Windows\System32\drivers\etc\hosts'
if (-not [IO.File]::Exists($path)) {
    exit 1
}
$mark = " # kinit $($Arguments.cluster)"
$lines = @([IO.File]::ReadAllLines($path) | Where-Object { $_.EndsWith($mark) })
if ($lines.Count -ne 1 -or $lines[0] -ne "$($Arguments.line)$mark") {
    exit 1
}
