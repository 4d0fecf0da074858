# Makes a service, or changes what is given of the one that is there. Words without
# quotes go to sc.exe, texts and passwords to the service's own methods.
$name = $Arguments.name
if (-not (Find-Existing { Get-Service -Name $name })) {
    $null = New-Service -Name $name -BinaryPathName $Arguments.path -StartupType Manual
}
$change = @{}
if ($null -ne $Arguments.path) { $change.PathName = $Arguments.path }
if ($null -ne $Arguments.displayName) { $change.DisplayName = $Arguments.displayName }
if ($null -ne $Arguments.account) {
    $change.StartName = $Arguments.account
    $change.StartPassword = "$($Arguments.password)"
}
if ($change.Count -gt 0) {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name = '$name'"
    $result = Invoke-CimMethod -InputObject $service -MethodName Change -Arguments $change
    if ($result.ReturnValue -ne 0) {
        throw ('Win32_Service.Change returned {0}' -f $result.ReturnValue)
    }
}
if ($null -ne $Arguments.description) {
    Set-Service -Name $name -Description $Arguments.description
}
if ($null -ne $Arguments.start) {
    $null = Invoke-Program 'sc.exe' @('config', $name, 'start=', $Arguments.start)
}
if ($null -ne $Arguments.dependencies) {
    $null = Invoke-Program 'sc.exe' @('config', $name, 'depend=', ($Arguments.dependencies -join '/'))
}
if ($null -ne $Arguments.actions) {
    # Windows PowerShell leaves empty words away, unless they have quotes of their own.
    $actions = $Arguments.actions
    if (-not $actions) {
        $actions = '""'
    }
    $null = Invoke-Program 'sc.exe' @('failure', $name, 'reset=', $Arguments.reset, 'actions=', $actions)
}
if ($null -ne $Arguments.environment) {
    $key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey("SYSTEM\CurrentControlSet\Services\$name", $true)
    $key.SetValue('Environment', [string[]]@($Arguments.environment), [Microsoft.Win32.RegistryValueKind]::MultiString)
    $key.Close()
}
