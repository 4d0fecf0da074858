# Runs an installer to its end and tells its exit code.
$parameters = @{ FilePath = $Arguments.program; Wait = $true; PassThru = $true }
if ($Arguments.line) {
    $parameters.ArgumentList = $Arguments.line
}
$process = Start-Process @parameters
@{ code = $process.ExitCode }
