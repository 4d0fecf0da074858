try {
    [void][IO.Directory]::CreateDirectory($Arguments.path)
    Answer @{ }
} catch { Fail $_ }
