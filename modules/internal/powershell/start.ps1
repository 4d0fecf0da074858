# Makes the folder of a job and starts it as a task of the system, which goes on
# without the session. A folder that is there is that of an earlier start: a job that
# has begun is left alone. Only the system and administrators may look inside, since
# arguments may be secret.
$folder = $Arguments.folder
if (-not [IO.File]::Exists("$folder\ready")) {
    $security = [Security.AccessControl.DirectorySecurity]::new()
    $security.SetSecurityDescriptorSddlForm('D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
    $null = [IO.Directory]::CreateDirectory($folder, $security)
    # Windows PowerShell takes a file for UTF-8 only with a byte order mark.
    [IO.File]::WriteAllText("$folder\job.ps1", $Arguments.script, [Text.Encoding]::UTF8)
    [IO.File]::WriteAllText("$folder\input", $Arguments.input)
    [IO.File]::WriteAllText("$folder\ready", '')
}
if (-not [IO.File]::Exists("$folder\begun")) {
    $call = '-NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "{0}\job.ps1"' -f $folder
    $action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument $call
    $principal = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -LogonType ServiceAccount -RunLevel Highest
    $settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries -Priority 4
    $null = Register-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id -Action $action -Principal $principal -Settings $settings -Force
    Start-ScheduledTask -TaskPath '\kinit\' -TaskName $Arguments.id
}
