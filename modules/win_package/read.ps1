# Whether a package is installed: by its key below Uninstall, which installers of 64 and
# of 32 bits have apart, or by a path that it makes.
$state = @{ installed = $false; version = '' }
if ($Arguments.product) {
    foreach ($parent in 'SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall', 'SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall') {
        $key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey("$parent\$($Arguments.product)")
        if ($key) {
            $state.installed = $true
            $state.version = "$($key.GetValue('DisplayVersion'))"
        }
    }
} else {
    $state.installed = [IO.File]::Exists($Arguments.creates) -or [IO.Directory]::Exists($Arguments.creates)
}
$state
