# Removes a value of the registry, or without a name a key with all in it.
$root = [Microsoft.Win32.RegistryKey]::OpenBaseKey($Arguments.hive, [Microsoft.Win32.RegistryView]::Registry64)
if ($null -eq $Arguments.name) {
    $root.DeleteSubKeyTree($Arguments.key, $false)
} else {
    $key = $root.OpenSubKey($Arguments.key, $true)
    if ($key) {
        $key.DeleteValue($Arguments.name, $false)
        $key.Close()
    }
}
