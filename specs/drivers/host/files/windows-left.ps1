
# Scheduled tasks and services, then what still runs of the programs that go.
foreach ($name in $traces.tasks) {
    if (Get-ScheduledTask -TaskPath '\kinit\' -TaskName $name -ErrorAction SilentlyContinue) {
        Stop-ScheduledTask -TaskPath '\kinit\' -TaskName $name
        Unregister-ScheduledTask -TaskPath '\kinit\' -TaskName $name -Confirm:$false
    }
}
foreach ($name in $traces.services) {
    Stop-Named $name
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name = '$name'"
    if ($service) {
        $result = Invoke-CimMethod -InputObject $service -MethodName Delete
        # 16 says that it is removed when the last program that looks at it lets go.
        if ($result.ReturnValue -ne 0 -and $result.ReturnValue -ne 16) {
            throw ('Win32_Service.Delete of {0} returned {1}' -f $name, $result.ReturnValue)
        }
    }
}
# A program that has been told to end keeps its file for a moment.
$places = @($traces.alone | ForEach-Object { $_ + '\' })
$until = [DateTime]::UtcNow.AddMinutes(1)
do {
    $running = @(Get-Process | Where-Object {
        $image = "$($_.Path)"
        @($places | Where-Object { $image.StartsWith($_, [StringComparison]::OrdinalIgnoreCase) }).Count -gt 0
    })
    if ($running.Count -eq 0) {
        break
    }
    $running | Stop-Process -Force -ErrorAction SilentlyContinue
    Start-Sleep -Milliseconds 200
} while ([DateTime]::UtcNow -lt $until)

# What kinit recorded about services, and the key if it is empty then.
$key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE\kinit\Services', $true)
if ($key) {
    foreach ($name in $traces.services) {
        $key.DeleteValue($name, $false)
    }
    $empty = $key.GetValueNames().Count -eq 0
    $key.Close()
    $above = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE', $true)
    if ($empty) {
        $above.DeleteSubKey('kinit\Services', $false)
        $kinit = $above.OpenSubKey('kinit')
        if ($kinit.GetSubKeyNames().Count -eq 0 -and $kinit.GetValueNames().Count -eq 0) {
            $above.DeleteSubKey('kinit', $false)
        }
        $kinit.Close()
    }
    $above.Close()
}

foreach ($name in $traces.rules) {
    if ($before.rules -notcontains $name) {
        Get-NetFirewallRule -Name $name -ErrorAction SilentlyContinue | Remove-NetFirewallRule
    }
}

# Defender scans again. 0x800106BA is its error while its service does not run.
if (Get-Command -Name Get-MpPreference -ErrorAction SilentlyContinue) {
    $processes = @($traces.unscanned.processes | Where-Object { $before.processes -notcontains $_ })
    $folders = @($traces.unscanned.folders | Where-Object { $before.folders -notcontains $_ })
    try {
        if ($processes.Count -gt 0) { Remove-MpPreference -ExclusionProcess $processes }
        if ($folders.Count -gt 0) { Remove-MpPreference -ExclusionPath $folders }
    } catch {
        if ($_.Exception.HResult -ne 0x800106BA) {
            throw
        }
    }
}

# The environment, as the registry has it: what names other variables stays as it is.
$key = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Environment', $true)
$kept = [Microsoft.Win32.RegistryValueOptions]::DoNotExpandEnvironmentNames
$have = @("$($key.GetValue('Path', '', $kept))" -split ';')
$stay = @($have | Where-Object { $traces.elements -notcontains $_ -or $before.elements -contains $_ })
if ($stay.Count -ne $have.Count) {
    $key.SetValue('Path', ($stay -join ';'), [Microsoft.Win32.RegistryValueKind]::ExpandString)
}
foreach ($name in $traces.variables) {
    $was = $before.variables.$name
    if ($null -eq $was) {
        $key.DeleteValue($name, $false)
    } elseif ($was.Contains('%')) {
        $key.SetValue($name, $was, [Microsoft.Win32.RegistryValueKind]::ExpandString)
    } else {
        $key.SetValue($name, $was, [Microsoft.Win32.RegistryValueKind]::String)
    }
}
$key.Close()

$hosts = 'C:\Windows\System32\drivers\etc\hosts'
if ([IO.File]::Exists($hosts)) {
    $encoding = [Text.Encoding]::GetEncoding('iso-8859-1')
    $text = [IO.File]::ReadAllText($hosts, $encoding)
    $mark = [regex]::Escape(" # kinit $($record.cluster)")
    $rest = [regex]::Replace($text, "(?m)^[^\n]*$mark\r?\n", '')
    if ($rest -ne $text) {
        [IO.File]::WriteAllText($hosts, $rest, $encoding)
    }
    if ($rest -eq '' -and -not $before.hosts) {
        [IO.File]::Delete($hosts)
    }
}

# Files at last: programs that run cannot be removed.
foreach ($path in $traces.alone) {
    Remove-Whole $path
}
foreach ($path in @($traces.folders) + @($traces.files)) {
    if ($before.paths -notcontains $path) {
        Remove-Whole $path
    }
}
foreach ($path in $traces.folders) {
    if ($before.paths -contains $path) {
        Remove-New $path
    }
}
# Those above are named from below.
foreach ($path in $traces.parents) {
    if ($before.paths -notcontains $path -and [IO.Directory]::Exists($path) -and [IO.Directory]::GetFileSystemEntries($path).Count -eq 0) {
        [IO.Directory]::Delete($path)
    }
}
[IO.File]::WriteAllText("$PSScriptRoot\left", '')
