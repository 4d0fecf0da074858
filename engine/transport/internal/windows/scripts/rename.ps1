try {
    MoveOver $Arguments.from $Arguments.to
    Answer @{ }
} catch { Fail $_ }
