# A rule of the firewall with its filters, in the words of the cmdlets that change it.
$rule = Find-Existing { Get-NetFirewallRule -Name $Arguments.name }
if (-not $rule) {
    return @{ there = $false }
}
$ports = $rule | Get-NetFirewallPortFilter
$addresses = $rule | Get-NetFirewallAddressFilter
$application = $rule | Get-NetFirewallApplicationFilter
@{
    there = $true
    displayName = $rule.DisplayName
    description = "$($rule.Description)"
    enabled = $rule.Enabled.ToString() -eq 'True'
    direction = $rule.Direction.ToString()
    action = $rule.Action.ToString()
    profiles = $rule.Profile.ToString()
    protocol = "$($ports.Protocol)"
    localPorts = @($ports.LocalPort)
    remotePorts = @($ports.RemotePort)
    remoteAddresses = @($addresses.RemoteAddress)
    program = "$($application.Program)"
}
