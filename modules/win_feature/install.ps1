# Installs or enables features and tells whether the host must restart.
if ($Arguments.server) {
    $parameters = @{
        Name = [string[]]$Arguments.names
        IncludeAllSubFeature = $Arguments.all
        IncludeManagementTools = $Arguments.tools
    }
    if ($Arguments.source) {
        $parameters.Source = $Arguments.source
    }
    $result = Install-WindowsFeature @parameters
    if (-not $result.Success) {
        throw ('Install-WindowsFeature ended with {0}' -f $result.ExitCode)
    }
    @{ restart = $result.RestartNeeded.ToString() -ne 'No' }
} else {
    $restart = $false
    foreach ($name in $Arguments.names) {
        $parameters = @{ Online = $true; FeatureName = $name; All = $true; NoRestart = $true }
        if ($Arguments.source) {
            $parameters.Source = $Arguments.source
        }
        $result = Enable-WindowsOptionalFeature @parameters
        $restart = $restart -or $result.RestartNeeded
    }
    @{ restart = $restart }
}
