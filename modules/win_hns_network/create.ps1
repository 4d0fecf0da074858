# Makes a network, unless one of the name is there, and waits until the host has its
# address on the new switch again.
$found = @(Invoke-Hns 'GET' '/networks/' '' | Where-Object { $_.Name -eq $Arguments.name })
if ($found.Count -eq 0) {
    $null = Invoke-Hns 'POST' '/networks' $Arguments.request
}
$until = [DateTime]::UtcNow.AddMinutes(2)
do {
    $network = Invoke-Hns 'GET' '/networks/' '' | Where-Object { $_.Name -eq $Arguments.name } | Select-Object -First 1
    if ($network.ManagementIP -or $Arguments.internal) {
        return @{ id = "$($network.ID)" }
    }
    Start-Sleep -Seconds 1
} while ([DateTime]::UtcNow -lt $until)
throw 'The network was made, and the host has no address on it after 2 minutes.'
