try {
    Answer (Describe (Get-Item -LiteralPath $Arguments.path -Force))
} catch { Fail $_ }
