# The network of a name, as the host networking service knows it.
$found = @(Invoke-Hns 'GET' '/networks/' '' | Where-Object { $_.Name -eq $Arguments.name })
if ($found.Count -eq 0) {
    return @{ there = $false }
}
$network = $found[0]
$subnet = $network.Subnets | Select-Object -First 1
$vsid = $subnet.Policies | Where-Object { $_.Type -eq 'VSID' } | Select-Object -First 1
@{
    there = $true
    id = "$($network.ID)"
    type = "$($network.Type)"
    subnet = "$($subnet.AddressPrefix)"
    gateway = "$($subnet.GatewayAddress)"
    vni = [int]$vsid.VSID
    adapter = "$($network.NetworkAdapterName)"
    address = "$($network.ManagementIP)"
}
