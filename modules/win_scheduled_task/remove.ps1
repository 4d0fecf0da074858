# Removes a scheduled task; one that runs goes on to its end.
if (Get-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name -ErrorAction SilentlyContinue) {
    Unregister-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name -Confirm:$false
}
