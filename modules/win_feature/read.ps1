# The state of features. A server has roles and features; a workstation (product type
# 1) has optional features only. A feature that Windows does not know has no state.
$server = (Get-CimInstance -ClassName Win32_OperatingSystem).ProductType -ne 1
$states = @(foreach ($name in $Arguments.names) {
    $state = ''
    if ($server) {
        $feature = Get-WindowsFeature -Name $name
        if ($feature) {
            $state = $feature.InstallState.ToString()
        }
    } else {
        $feature = Get-WindowsOptionalFeature -Online | Where-Object { $_.FeatureName -eq $name }
        if ($feature) {
            $state = $feature.State.ToString()
        }
    }
    @{ name = $name; state = $state }
})
@{ server = $server; features = $states }
