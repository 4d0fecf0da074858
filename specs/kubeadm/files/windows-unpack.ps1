# Unpacks an archive and notes which one it was.
$parameters = @('-xzf', $Arguments.archive, '-C', $Arguments.folder, '--strip-components', "$($Arguments.strip)") + @($Arguments.members)
& tar.exe @parameters
if ($LASTEXITCODE -ne 0) {
    throw "tar.exe ended with code $LASTEXITCODE"
}
[IO.File]::WriteAllText("$($Arguments.archive).unpacked", $Arguments.sha256)
