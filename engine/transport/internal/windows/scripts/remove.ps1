# What is in a folder goes first. Links are removed, and not followed.
function RemoveTree($item) {
    if ($item.PSIsContainer -and -not (IsLink $item)) {
        foreach ($inner in @(Get-ChildItem -LiteralPath $item.FullName -Force)) { RemoveTree $inner }
    }
    if ($item.Attributes -band [IO.FileAttributes]::ReadOnly) { $item.Attributes = 'Normal' }
    $item.Delete()
}

try {
    RemoveTree (Get-Item -LiteralPath $Arguments.path -Force)
    Answer @{ }
} catch { Fail $_ }
