# The name the host has, and the one it has after the next start.
$names = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName')
$parameters = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Services\Tcpip\Parameters')
@{
    active = $names.GetValue('ComputerName')
    next = $parameters.GetValue('NV Hostname')
}
