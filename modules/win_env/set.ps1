# Sets or removes a variable of the environment.
# What names other variables is kept to be expanded.
if ($Arguments.scope -eq 'machine') {
    $key = [Microsoft.Win32.Registry]::LocalMachine.CreateSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Environment')
} else {
    $key = [Microsoft.Win32.Registry]::CurrentUser.CreateSubKey('Environment')
}
if ($null -eq $Arguments.value) {
    $key.DeleteValue($Arguments.name, $false)
} elseif ($Arguments.value.Contains('%')) {
    $key.SetValue($Arguments.name, $Arguments.value, [Microsoft.Win32.RegistryValueKind]::ExpandString)
} else {
    $key.SetValue($Arguments.name, $Arguments.value, [Microsoft.Win32.RegistryValueKind]::String)
}
$key.Close()
