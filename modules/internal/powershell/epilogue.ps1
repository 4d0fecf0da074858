# Runs the script of the module, which is in $KinitScript, and writes its value, or what it
# threw, as one line of JSON. Codes tell errors apart in every language of Windows.
# Warnings would be lines of the output too.
$global:WarningPreference = 'SilentlyContinue'
$code = 0
try {
    $answer = @{ value = & $KinitScript }
} catch {
    $shown = $_.Exception
    if ($shown -is [Management.Automation.MethodInvocationException]) {
        $shown = $shown.InnerException
    }
    $answer = @{
        failure = @{
            message = $shown.Message
            id = $_.FullyQualifiedErrorId
            code = $_.Exception.GetBaseException().HResult
            at = "$($_.InvocationInfo.Line)".Trim()
        }
    }
    $code = 1
}
$line = 'kinit:' + ($answer | ConvertTo-Json -Compress -Depth 10)
if ($KinitAnswer) {
    [IO.File]::WriteAllText("$KinitAnswer.new", $line)
    [IO.File]::Move("$KinitAnswer.new", $KinitAnswer)
} else {
    [Console]::Out.WriteLine($line)
}
$global:LASTEXITCODE = $code
