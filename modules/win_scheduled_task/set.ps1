# Registers a scheduled task in place of one of the same name.
$action = @{ Execute = $Arguments.program }
if ($Arguments.arguments) { $action.Argument = $Arguments.arguments }
if ($Arguments.folder) { $action.WorkingDirectory = $Arguments.folder }
$triggers = @(foreach ($wanted in $Arguments.triggers) {
    if ($wanted.kind -eq 'MSFT_TaskBootTrigger') {
        New-ScheduledTaskTrigger -AtStartup
    } elseif ($wanted.kind -eq 'MSFT_TaskDailyTrigger') {
        $trigger = New-ScheduledTaskTrigger -Daily -At $wanted.start
        $trigger.StartBoundary = $wanted.start
        $trigger
    } else {
        $repetition = @{}
        if ($wanted.minutes) { $repetition.RepetitionInterval = [TimeSpan]::FromMinutes($wanted.minutes) }
        $trigger = New-ScheduledTaskTrigger -Once -At $wanted.start @repetition
        $trigger.StartBoundary = $wanted.start
        $trigger
    }
})
$parameters = @{
    TaskPath = $Arguments.path
    TaskName = $Arguments.name
    Action = New-ScheduledTaskAction @action
    Principal = New-ScheduledTaskPrincipal -UserId $Arguments.user -LogonType ServiceAccount -RunLevel Highest
    # Without a limit: Windows would end it after three days.
    Settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -StartWhenAvailable -Priority 4 -MultipleInstances IgnoreNew -ExecutionTimeLimit '00:00:00'
    Force = $true
}
if ($triggers.Count -gt 0) { $parameters.Trigger = $triggers }
if ($Arguments.description) { $parameters.Description = $Arguments.description }
$null = Register-ScheduledTask @parameters
if (-not $Arguments.enabled) {
    $null = Disable-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name
}
