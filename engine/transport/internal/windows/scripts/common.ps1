# What all scripts of files have: an answer is one line, its length and then JSON in
# base64, so that nothing can be missing from it unnoticed.
function Answer($value) {
    $json = ConvertTo-Json -InputObject $value -Depth 5 -Compress
    $text = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($json))
    [Console]::Out.Write("$($text.Length) $text`n")
}

function Fail($record) {
    $reason = $record.Exception
    while ($reason.InnerException) { $reason = $reason.InnerException }
    Answer @{ failure = $reason.GetType().Name; message = $reason.Message }
}

function IsLink($item) {
    return $item.LinkType -eq 'SymbolicLink' -or $item.LinkType -eq 'Junction'
}

function Describe($item) {
    $kind = 'file'
    $size = 0
    $target = ''
    if ($item.PSIsContainer) { $kind = 'folder' } else { $size = $item.Length }
    if (IsLink $item) {
        $kind = 'link'
        $target = @($item.Target)[0]
    }
    return @{
        name     = $item.Name
        kind     = $kind
        size     = $size
        ticks    = $item.LastWriteTimeUtc.Ticks
        readonly = ($item.Attributes -band [IO.FileAttributes]::ReadOnly) -ne 0
        target   = $target
    }
}

# A file of the new name is replaced and keeps its access control list. A link of that
# name is removed first, or what it leads to would be replaced.
function MoveOver($from, $to) {
    if ($from -eq $to) {
        # Only the case changes: the new name is there already, and is the old one.
        $between = "$from~" + [Guid]::NewGuid().ToString('N').Substring(0, 8)
        if ([IO.Directory]::Exists($from)) {
            [IO.Directory]::Move($from, $between)
            [IO.Directory]::Move($between, $to)
        } else {
            [IO.File]::Move($from, $between)
            [IO.File]::Move($between, $to)
        }
        return
    }
    if ([IO.Directory]::Exists($from)) {
        [IO.Directory]::Move($from, $to)
        return
    }
    if (-not [IO.File]::Exists($to)) {
        [IO.File]::Move($from, $to)
        return
    }
    $old = Get-Item -LiteralPath $to -Force
    if ($old.Attributes -band [IO.FileAttributes]::ReadOnly) { $old.Attributes = 'Normal' }
    if (IsLink $old) {
        $old.Delete()
        [IO.File]::Move($from, $to)
        return
    }
    [IO.File]::Replace($from, $to, [NullString]::Value, $true)
}
