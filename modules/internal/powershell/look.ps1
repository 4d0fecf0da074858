# How far a job is. What it does last is read last, so that a job that begins or ends in
# between is not taken for one that has died: begun, then the task, then the answer.
$begun = [IO.File]::Exists("$($Arguments.folder)\begun")
$task = Find-Existing { Get-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id }
$state = ''
if ($task) {
    $state = $task.State.ToString()
}
$answer = $null
if ([IO.File]::Exists("$($Arguments.folder)\answer")) {
    $answer = [IO.File]::ReadAllText("$($Arguments.folder)\answer")
}
@{
    begun = $begun
    alive = $state -eq 'Running' -or $state -eq 'Queued'
    answer = $answer
}
