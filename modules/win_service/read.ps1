# A service as the service control manager keeps it in the registry, and whether it
# runs. What kinit started it with is kept apart.
$service = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey("SYSTEM\CurrentControlSet\Services\$($Arguments.name)")
if (-not $service) {
    return @{ there = $false }
}
$status = Find-Existing { Get-Service -Name $Arguments.name }
$started = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE\kinit\Services')
$fingerprint = ''
if ($started) {
    $fingerprint = "$($started.GetValue($Arguments.name))"
}
$state = 'Stopped'
if ($status) {
    $state = $status.Status.ToString()
}
@{
    there = $true
    deleted = [int]$service.GetValue('DeleteFlag') -eq 1
    state = $state
    path = "$($service.GetValue('ImagePath', '', [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames))"
    start = [int]$service.GetValue('Start')
    delayed = [int]$service.GetValue('DelayedAutostart') -eq 1
    account = "$($service.GetValue('ObjectName'))"
    displayName = "$($service.GetValue('DisplayName'))"
    description = "$($service.GetValue('Description'))"
    dependencies = @($service.GetValue('DependOnService', @()))
    environment = @($service.GetValue('Environment', @()))
    failure = @($service.GetValue('FailureActions', @()))
    fingerprint = $fingerprint
}
