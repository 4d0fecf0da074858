# Runs an installer to its end and tells its exit code. What it leaves running is not
# waited for, as Start-Process would.
$start = [Diagnostics.ProcessStartInfo]::new($Arguments.program, $Arguments.line)
$start.UseShellExecute = $false
$process = [Diagnostics.Process]::Start($start)
$process.WaitForExit()
@{ code = $process.ExitCode }
