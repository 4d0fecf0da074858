# Unpacks an archive and notes which one it was. Windows locks the programs that run, so the services and tasks that run what
# is in the archive stop meanwhile, in their order, and start again afterwards, whether or not it could be unpacked.
$services = @()
$tasks = @()
try {
    foreach ($name in $Arguments.services) {
        if (@(Get-Service | Where-Object { $_.Name -eq $name -and $_.Status -ne 'Stopped' }).Count -gt 0) {
            Stop-Service -Name $name -Force
            $services = @($name) + $services
        }
    }
    foreach ($name in $Arguments.tasks) {
        if (@(Get-ScheduledTask | Where-Object { $_.TaskPath -eq '\kinit\' -and $_.TaskName -eq $name }).Count -gt 0) {
            # A task that repeats would start again in the middle.
            $tasks = @($name) + $tasks
            $null = Disable-ScheduledTask -TaskPath '\kinit\' -TaskName $name
            Stop-ScheduledTask -TaskPath '\kinit\' -TaskName $name
        }
    }
    $parameters = @('-xzf', $Arguments.archive, '-C', $Arguments.folder, '--strip-components', "$($Arguments.strip)") + @($Arguments.members)
    & tar.exe @parameters
    if ($LASTEXITCODE -ne 0) {
        throw "tar.exe ended with code $LASTEXITCODE"
    }
    [IO.File]::WriteAllText("$($Arguments.archive).unpacked", $Arguments.sha256)
} finally {
    foreach ($name in $tasks) {
        $null = Enable-ScheduledTask -TaskPath '\kinit\' -TaskName $name
        Start-ScheduledTask -TaskPath '\kinit\' -TaskName $name
    }
    foreach ($name in $services) {
        Start-Service -Name $name
    }
}
