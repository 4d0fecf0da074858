# Gives a copy of a sealed image the name that its CD says. It runs as the system in the
# specialize pass, where services are not all there, so it writes what
# SetComputerNameEx would. Setup reads its code: with 0 it goes on, with 1 it restarts
# first. Any other code would end the installation, so whatever fails ends with 0: the
# first login looks at the name again.
. (Join-Path $PSScriptRoot 'kinit-common.ps1')

$code = 0
try {
    $name = (Get-Node $PSScriptRoot).hostname
    if ($env:COMPUTERNAME -ne $name) {
        Write-Status 'takes its name'
        Set-RegistryValue 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName' 'ComputerName' 'String' $name.ToUpperInvariant()
        $parameters = 'HKLM:\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters'
        Set-RegistryValue $parameters 'NV Hostname' 'String' $name
        Set-RegistryValue $parameters 'Hostname' 'String' $name
        $code = 1
    }
} catch {
    Write-Status ('keeps its name for now: ' + $_.Exception.Message)
    $code = 0
}
exit $code
