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
    # Windows PowerShell takes the target for a pattern.
    $target = [Management.Automation.WildcardPattern]::Escape($Arguments.target)
    [void](New-Item -ItemType SymbolicLink -Path $Arguments.path -Value $target)
    Answer @{ }
} catch { Fail $_ }
