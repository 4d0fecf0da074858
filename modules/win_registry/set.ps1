# Sets a value of the registry; the key is made where it is missing. Without a name the
# key is all that is asked for.
$root = [Microsoft.Win32.RegistryKey]::OpenBaseKey($Arguments.hive, [Microsoft.Win32.RegistryView]::Registry64)
$key = $root.CreateSubKey($Arguments.key)
if ($null -ne $Arguments.name) {
    $text = "$($Arguments.data)"
    $data = $text
    if ($Arguments.kind -eq 'DWord') {
        $data = [Convert]::ToInt32($text, 16)
    } elseif ($Arguments.kind -eq 'QWord') {
        $data = [Convert]::ToInt64($text, 16)
    } elseif ($Arguments.kind -eq 'MultiString') {
        $data = [string[]]@($Arguments.data)
    } elseif ($Arguments.kind -eq 'Binary') {
        $data = [byte[]]@(for ($i = 0; $i -lt $text.Length; $i += 2) { [Convert]::ToByte($text.Substring($i, 2), 16) })
    }
    $key.SetValue($Arguments.name, $data, [Microsoft.Win32.RegistryValueKind]$Arguments.kind)
}
$key.Close()
