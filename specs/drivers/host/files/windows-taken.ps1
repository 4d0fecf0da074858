# Fails when this machine is a node of another cluster, or has of its own what the cluster
# would put there: what kinit has not made, it neither replaces nor removes.
$clusters = 'C:\ProgramData\kinit\clusters'
if ([IO.Directory]::Exists($clusters)) {
    foreach ($other in [IO.Directory]::GetDirectories($clusters)) {
        $name = [IO.Path]::GetFileName($other)
        if ($name -ne $Arguments.cluster -and [IO.File]::Exists("$other\record.json")) {
            throw "this machine is a node of the cluster ""$name"". Clean that cluster up first, or name another machine."
        }
    }
}
if ([IO.File]::Exists("$clusters\$($Arguments.cluster)\record.json")) {
    exit 0
}
foreach ($name in $Arguments.traces.services) {
    if (Find-Existing { Get-Service -Name $name }) {
        throw "this machine has a service $name that kinit did not make: it may be a node of another cluster. Remove the service if nothing needs it, or name another machine."
    }
}
foreach ($path in $Arguments.traces.alone) {
    if ([IO.Directory]::Exists($path) -or [IO.File]::Exists($path)) {
        throw "$path is there already, and kinit did not make it. Move it away, or name another machine."
    }
}
foreach ($task in $Arguments.traces.tasks) {
    if (Find-Existing { Get-ScheduledTask -TaskPath '\kinit\' -TaskName $task }) {
        throw "this machine has a scheduled task \kinit\$task that this cluster did not make. Remove it if nothing needs it, or name another machine."
    }
}
# Without this service there is no such network, and nothing to list them with.
if (Find-Existing { Get-Service -Name hns }) {
    foreach ($network in @(Get-HnsNetwork)) {
        if ($Arguments.traces.networks -contains $network.Name) {
            throw "this machine has a container network $($network.Name) that kinit did not make. Remove it if nothing needs it, or name another machine."
        }
    }
}
# Of several lines with a name Windows takes all addresses.
$hosts = 'C:\Windows\System32\drivers\etc\hosts'
if ([IO.File]::Exists($hosts)) {
    foreach ($line in [IO.File]::ReadAllLines($hosts)) {
        $words = @(($line -replace '#.*$', '').Trim() -split '\s+')
        foreach ($name in $Arguments.names) {
            if ($words -contains $name) {
                throw "$hosts has the name $name already, in the line ""$line"". Remove the line, or name another machine."
            }
        }
    }
}
