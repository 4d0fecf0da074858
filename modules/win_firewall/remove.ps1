# Removes a rule of the firewall.
Get-NetFirewallRule -Name $Arguments.name -ErrorAction SilentlyContinue | Remove-NetFirewallRule
