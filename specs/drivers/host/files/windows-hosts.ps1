# Puts the line of the cluster's services into the hosts file, as its first, in place of the
# one that was there. Latin 1 keeps every byte of all other lines.
$path = 'C:\Windows\System32\drivers\etc\hosts'
$encoding = [Text.Encoding]::GetEncoding('iso-8859-1')
$text = ''
if ([IO.File]::Exists($path)) {
    $text = [IO.File]::ReadAllText($path, $encoding)
}
$mark = [regex]::Escape(" # kinit $($Arguments.cluster)")
$text = [regex]::Replace($text, "(?m)^[^\n]*$mark\r?\n", '')
$line = '{0} # kinit {1}' -f $Arguments.line, $Arguments.cluster
[IO.File]::WriteAllText($path, $line + [Environment]::NewLine + $text, $encoding)
