# A scheduled task in the words of the argument. Its user is told by SID, since the
# names of the system's accounts differ between languages.
$task = Find-Existing { Get-ScheduledTask -TaskPath $Arguments.path -TaskName $Arguments.name }
if (-not $task) {
    return @{ there = $false }
}
$user = "$($task.Principal.UserId)"
if ($task.Principal.GroupId) {
    $user = "the group $($task.Principal.GroupId)"
} elseif (-not $user.StartsWith('S-1-')) {
    try {
        $user = [Security.Principal.NTAccount]::new($user).Translate([Security.Principal.SecurityIdentifier]).Value
    } catch {
        # The account is gone.
        $user = "$user, which is no account"
    }
}
$triggers = @(foreach ($trigger in $task.Triggers) {
    @{ kind = $trigger.CimClass.CimClassName; start = "$($trigger.StartBoundary)"; every = "$($trigger.Repetition.Interval)" }
})
@{
    there = $true
    program = "$($task.Actions[0].Execute)"
    arguments = "$($task.Actions[0].Arguments)"
    folder = "$($task.Actions[0].WorkingDirectory)"
    actions = @($task.Actions).Count
    user = $user
    description = "$($task.Description)"
    limit = "$($task.Settings.ExecutionTimeLimit)"
    enabled = $task.State.ToString() -ne 'Disabled'
    triggers = $triggers
}
