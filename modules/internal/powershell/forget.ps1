# Removes a job that has ended.
if (Get-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id -ErrorAction SilentlyContinue) {
    Unregister-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id -Confirm:$false
}
if ([IO.Directory]::Exists($Arguments.folder)) {
    [IO.Directory]::Delete($Arguments.folder, $true)
}
