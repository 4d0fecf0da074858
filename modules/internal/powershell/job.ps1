# What a job begins with. The one that makes the file "begun" goes on; a job that was
# started once more ends here.
try {
    [IO.File]::Open("$PSScriptRoot\begun", [IO.FileMode]::CreateNew).Dispose()
} catch {
    exit 0
}
$global:ErrorActionPreference = 'Stop'
$global:ProgressPreference = 'SilentlyContinue'
$KinitAnswer = "$PSScriptRoot\answer"
$KinitInput = [IO.MemoryStream]::new([IO.File]::ReadAllBytes("$PSScriptRoot\input"))
[IO.File]::Delete("$PSScriptRoot\input")
