# Keeps what the service is started with.
if ($Arguments.fingerprint) {
    $key = [Microsoft.Win32.Registry]::LocalMachine.CreateSubKey('SOFTWARE\kinit\Services')
    $key.SetValue($Arguments.name, $Arguments.fingerprint)
    $key.Close()
}
