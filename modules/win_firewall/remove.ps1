# Removes a rule of the firewall.
Find-Existing { Get-NetFirewallRule -Name $Arguments.name } | Remove-NetFirewallRule
