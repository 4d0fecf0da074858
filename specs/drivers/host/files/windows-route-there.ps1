# Ends with 0 when the way to the overlay is there, now and after a restart. The words of
# route.exe differ between languages of Windows; rows of addresses do not: one is the
# route that counts, the other the one that is kept.
$row = '^\s*{0}\s+{1}\s+{2}\s' -f [regex]::Escape($Arguments.network), [regex]::Escape($Arguments.mask), [regex]::Escape($Arguments.gateway)
$rows = @(& route.exe print -4 | Where-Object { $_ -match $row })
if ($rows.Count -lt 2) {
    exit 1
}
