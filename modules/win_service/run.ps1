# Starts, stops or restarts a service. What does not start says with which code it ended.
$name = $Arguments.name
try {
    if ($Arguments.action -eq 'stop') {
        Stop-Service -Name $name -Force
    } elseif ($Arguments.action -eq 'restart') {
        Restart-Service -Name $name -Force
    } else {
        Start-Service -Name $name
    }
} catch {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name = '$name'"
    throw ('{0} Exit code {1}, of the service itself {2}.' -f $_.Exception.GetBaseException().Message, $service.ExitCode, $service.ServiceSpecificExitCode)
}
