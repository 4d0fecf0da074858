# What the host is and has.
$system = Get-CimInstance -ClassName Win32_OperatingSystem
$computer = Get-CimInstance -ClassName Win32_ComputerSystem
$version = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE\Microsoft\Windows NT\CurrentVersion')
$addresses = @(Get-NetIPAddress | Where-Object { $_.AddressState.ToString() -eq 'Preferred' } | ForEach-Object {
    @{ interface = $_.InterfaceAlias; address = ($_.IPAddress -split '%')[0] }
})
$features = @()
if ($system.ProductType -ne 1) {
    $features = @(Get-WindowsFeature | Where-Object { $_.Installed } | ForEach-Object { $_.Name })
} else {
    $features = @(Get-WindowsOptionalFeature -Online | Where-Object { $_.State.ToString() -eq 'Enabled' } | ForEach-Object { $_.FeatureName })
}
@{
    osName = $system.Caption
    version = $system.Version
    build = [int]$system.BuildNumber
    revision = [int]$version.GetValue('UBR')
    edition = "$($version.GetValue('EditionID'))"
    installation = "$($version.GetValue('InstallationType'))"
    server = $system.ProductType -ne 1
    memoryBytes = [long]$computer.TotalPhysicalMemory
    cpus = [int]$computer.NumberOfLogicalProcessors
    lastBoot = $system.LastBootUpTime.ToUniversalTime().ToString('o')
    hostname = $computer.DNSHostName
    addresses = $addresses
    features = $features
}
