# A value of the registry as it is kept: texts are not expanded. Numbers are shown
# without sign and bytes in hex, so that no value is lost in JSON.
$root = [Microsoft.Win32.RegistryKey]::OpenBaseKey($Arguments.hive, [Microsoft.Win32.RegistryView]::Registry64)
$key = $root.OpenSubKey($Arguments.key)
$state = @{ key = $null -ne $key; there = $false; kind = ''; data = @() }
if ($key -and $null -ne $Arguments.name -and $key.GetValueNames() -contains $Arguments.name) {
    $data = $key.GetValue($Arguments.name, $null, [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames)
    $state.there = $true
    $state.kind = $key.GetValueKind($Arguments.name).ToString()
    if ($state.kind -eq 'DWord') {
        $state.data = @($data.ToString('x8'))
    } elseif ($state.kind -eq 'QWord') {
        $state.data = @($data.ToString('x16'))
    } elseif ($data -is [byte[]]) {
        $state.data = @([BitConverter]::ToString($data).Replace('-', '').ToLowerInvariant())
    } else {
        $state.data = @($data)
    }
}
$state
