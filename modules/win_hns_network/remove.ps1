# Removes the network of a name.
foreach ($network in @(Invoke-Hns 'GET' '/networks/' '' | Where-Object { $_.Name -eq $Arguments.name })) {
    $null = Invoke-Hns 'DELETE' "/networks/$($network.ID)" ''
}
@{ removed = $true }
