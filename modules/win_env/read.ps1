# A variable of the environment as the registry keeps it, not expanded.
if ($Arguments.scope -eq 'machine') {
    $key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Environment')
} else {
    $key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment')
}
@{ value = $key.GetValue($Arguments.name, $null, [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames) }
