# Removes a scheduled task; one that runs goes on to its end.
if (Find-Existing { Get-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name }) {
    Unregister-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name -Confirm:$false
}
