# Puts the line of the cluster's services into the hosts file, as its first, in place of the
# one that was there. Latin 1 keeps every byte of all other lines.
$path = 'C:\Windows\System32\drivers\etc\hosts'
$encoding = [Text.Encoding]::GetEncoding('iso-8859-1')
$text = ''
if ([IO.File]::Exists($path)) {
    # Reading text would obey a byte order mark.
    $text = $encoding.GetString([IO.File]::ReadAllBytes($path))
}
$mark = [regex]::Escape(" # kinit $($Arguments.cluster)")
$text = [regex]::Replace($text, "(?m)^[^\n]*$mark(\r?\n|\r?\z)", '')
$line = '{0} # kinit {1}' -f $Arguments.line, $Arguments.cluster
# A byte order mark is that of the file only at its beginning.
$first = ''
if ($text.StartsWith("$([char]0xEF)$([char]0xBB)$([char]0xBF)", [StringComparison]::Ordinal)) {
    $first = $text.Substring(0, 3)
    $text = $text.Substring(3)
}
[IO.File]::WriteAllBytes($path, $encoding.GetBytes($first + $line + [Environment]::NewLine + $text))
