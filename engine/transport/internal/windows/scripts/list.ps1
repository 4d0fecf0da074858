try {
    $folder = Get-Item -LiteralPath $Arguments.path -Force
    if (-not $folder.PSIsContainer) { throw 'it is no folder' }
    $items = @()
    foreach ($item in @(Get-ChildItem -LiteralPath $Arguments.path -Force)) {
        $items += Describe $item
    }
    Answer @{ items = $items }
} catch { Fail $_ }
