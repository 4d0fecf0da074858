# Notes what the cluster is about to make on this machine, and what of that was there
# before: that stays when the machine leaves.
function Get-Below([string] $Folder) {
    foreach ($path in [IO.Directory]::GetFileSystemEntries($Folder)) {
        $path
        $linked = [IO.File]::GetAttributes($path) -band [IO.FileAttributes]::ReparsePoint
        if ([IO.Directory]::Exists($path) -and -not $linked) {
            Get-Below $path
        }
    }
}

$traces = $Arguments.traces
$before = @{
    paths = @()
    below = @()
    rules = @()
    processes = @()
    folders = @()
    elements = @()
    variables = @{}
    route = $false
    hosts = [IO.File]::Exists('C:\Windows\System32\drivers\etc\hosts')
}
foreach ($path in @($traces.folders) + @($traces.parents) + @($traces.files)) {
    if ([IO.File]::Exists($path) -or [IO.Directory]::Exists($path)) {
        $before.paths += $path
    }
}
foreach ($path in $traces.folders) {
    if ([IO.Directory]::Exists($path)) {
        $before.below += @(Get-Below $path)
    }
}
foreach ($name in $traces.rules) {
    if (Find-Existing { Get-NetFirewallRule -Name $name }) {
        $before.rules += $name
    }
}
if (Get-Command -Name Get-MpPreference -ErrorAction SilentlyContinue) {
    try {
        $preference = Get-MpPreference
        $before.processes = @($traces.unscanned.processes | Where-Object { @($preference.ExclusionProcess) -contains $_ })
        $before.folders = @($traces.unscanned.folders | Where-Object { @($preference.ExclusionPath) -contains $_ })
    } catch {
        if (-not (Test-DefenderStopped $_)) {
            throw
        }
    }
}
$key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Environment')
$kept = [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames
$have = @("$($key.GetValue('Path', '', $kept))" -split ';')
$before.elements = @($traces.elements | Where-Object { $have -contains $_ })
foreach ($name in $traces.variables) {
    $value = $key.GetValue($name, $null, $kept)
    if ($null -ne $value) {
        $before.variables[$name] = "$value"
    }
}
$key.Close()
if ($traces.route.gateway) {
    $wanted = '{0},{1},{2},' -f $traces.route.network, $traces.route.mask, $traces.route.gateway
    $routes = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Services\Tcpip\Parameters\PersistentRoutes')
    if ($routes) {
        $before.route = @($routes.GetValueNames() | Where-Object { $_.StartsWith($wanted) }).Count -gt 0
        $routes.Close()
    }
}

# Complete, or not there.
$file = "$($Arguments.folder)\record.json"
[IO.File]::WriteAllText("$file.new", (@{ cluster = $Arguments.cluster; traces = $traces; before = $before } | ConvertTo-Json -Compress -Depth 8))
[IO.File]::Move("$file.new", $file)
