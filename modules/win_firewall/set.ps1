# Makes a rule of the firewall, or changes the one that is there. A rule is never taken
# away for a moment: it may be the one that lets this connection in.
$parameters = @{
    Name = $Arguments.name
    Direction = $Arguments.direction
    Action = $Arguments.action
    Enabled = $Arguments.enabled
    Profile = [string[]]$Arguments.profiles
    Protocol = $Arguments.protocol
    RemoteAddress = [string[]]$Arguments.remoteAddresses
    Program = $Arguments.program
    Description = $Arguments.description
}
if ($Arguments.localPorts) {
    $parameters.LocalPort = [string[]]$Arguments.localPorts
    $parameters.RemotePort = [string[]]$Arguments.remotePorts
}
if (Find-Existing { Get-NetFirewallRule -Name $Arguments.name }) {
    Set-NetFirewallRule @parameters -NewDisplayName $Arguments.displayName
} else {
    $null = New-NetFirewallRule @parameters -DisplayName $Arguments.displayName
}
