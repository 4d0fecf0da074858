try {
    if (Test-Path -LiteralPath $Arguments.path) {
        $old = Get-Item -LiteralPath $Arguments.path -Force
        if (-not (IsLink $old)) {
            Answer @{ failure = 'Exists'; message = 'it is there and is no link' }
            exit 0
        }
        if (@($old.Target)[0].Replace('\', '/') -eq $Arguments.target) {
            Answer @{ }
            exit 0
        }
        $old.Delete()
    }
    [void](New-Item -ItemType SymbolicLink -Path $Arguments.path -Value $Arguments.target)
    Answer @{ }
} catch { Fail $_ }
