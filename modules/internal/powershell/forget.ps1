# Removes a job that has ended.
if (Find-Existing { Get-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id }) {
    Unregister-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id -Confirm:$false
}
if ([IO.Directory]::Exists($Arguments.folder)) {
    [IO.Directory]::Delete($Arguments.folder, $true)
}
