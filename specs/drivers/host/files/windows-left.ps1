
# Scheduled tasks and services, then what still runs of the programs that go.
Invoke-Part 'scheduled tasks' {
    foreach ($name in $traces.tasks) {
        if (Find-Existing { Get-ScheduledTask -TaskPath '\kinit\' -TaskName $name }) {
            # A task that repeats would start again before it is gone.
            $null = Disable-ScheduledTask -TaskPath '\kinit\' -TaskName $name
            Stop-ScheduledTask -TaskPath '\kinit\' -TaskName $name
            Unregister-ScheduledTask -TaskPath '\kinit\' -TaskName $name -Confirm:$false
        }
    }
}

Invoke-Part 'services' {
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
}

# A program that has been told to end keeps its file for a moment.
Invoke-Part 'programs' {
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
}

# What kinit recorded about services, and the key if it is empty then.
Invoke-Part 'the record of services' {
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
}

Invoke-Part 'rules of the firewall' {
    foreach ($name in $traces.rules) {
        if ($before.rules -notcontains $name) {
            Find-Existing { Get-NetFirewallRule -Name $name } | Remove-NetFirewallRule
        }
    }
}

# Defender scans again. With its service, what it does not scan is gone too.
Invoke-Part 'exclusions of Defender' {
    if (Get-Command -Name Get-MpPreference -ErrorAction SilentlyContinue) {
        $processes = @($traces.unscanned.processes | Where-Object { $before.processes -notcontains $_ })
        $folders = @($traces.unscanned.folders | Where-Object { $before.folders -notcontains $_ })
        try {
            if ($processes.Count -gt 0) { Remove-MpPreference -ExclusionProcess $processes }
            if ($folders.Count -gt 0) { Remove-MpPreference -ExclusionPath $folders }
        } catch {
            # The exception has no HRESULT of its own: the identifier has it. The second is that of classes that are gone.
            if ($_.FullyQualifiedErrorId -notlike 'HRESULT 0x800106ba*' -and $_.FullyQualifiedErrorId -notlike 'HRESULT 0x80041010*') {
                throw
            }
        }
    }
}

# The environment, as the registry has it: what names other variables stays as it is.
Invoke-Part 'the environment' {
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
}

Invoke-Part 'the hosts file' {
    $hosts = 'C:\Windows\System32\drivers\etc\hosts'
    if ([IO.File]::Exists($hosts)) {
        $encoding = [Text.Encoding]::GetEncoding('iso-8859-1')
        # Reading text would obey a byte order mark.
        $text = $encoding.GetString([IO.File]::ReadAllBytes($hosts))
        $mark = [regex]::Escape(" # kinit $($record.cluster)")
        $rest = [regex]::Replace($text, "(?m)^(\xEF\xBB\xBF)?[^\n]*$mark(\r?\n|\r?\z)", '$1')
        if ($rest -ne $text) {
            [IO.File]::WriteAllBytes($hosts, $encoding.GetBytes($rest))
        }
        if ($rest -eq '' -and -not $before.hosts) {
            [IO.File]::Delete($hosts)
        }
    }
}

# Files at last: programs that run cannot be removed.
Invoke-Part 'files' {
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
}

if ($left.Count -gt 0) {
    throw ('not all of the cluster could be removed: ' + ($left -join '; '))
}
[IO.File]::WriteAllText("$PSScriptRoot\left", '')
