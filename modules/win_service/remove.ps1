# Stops a service and removes it.
$name = $Arguments.name
$service = Get-CimInstance -ClassName Win32_Service -Filter "Name = '$name'"
if ($service) {
    Stop-Service -Name $name -Force
    $result = Invoke-CimMethod -InputObject $service -MethodName Delete
    # 16 says that it is removed when the last program that looks at it lets go.
    if ($result.ReturnValue -ne 0 -and $result.ReturnValue -ne 16) {
        throw ('Win32_Service.Delete returned {0}' -f $result.ReturnValue)
    }
}
$key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE\kinit\Services', $true)
if ($key) {
    $key.DeleteValue($name, $false)
    $key.Close()
}
