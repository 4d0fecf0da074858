# Removes or disables features and tells whether the host must restart.
if ($Arguments.server) {
    $result = Uninstall-WindowsFeature -Name ([string[]]$Arguments.names)
    if (-not $result.Success) {
        throw ('Uninstall-WindowsFeature ended with {0}' -f $result.ExitCode)
    }
    @{ restart = $result.RestartNeeded.ToString() -ne 'No' }
} else {
    $restart = $false
    foreach ($name in $Arguments.names) {
        $result = Disable-WindowsOptionalFeature -Online -FeatureName $name -NoRestart
        $restart = $restart -or $result.RestartNeeded
    }
    @{ restart = $restart }
}
