# The answer has the size; then come so many bytes, and their SHA-256 in a line. Others
# may go on writing to the file.
try {
    $file = [IO.File]::Open($Arguments.path, 'Open', 'Read', 'ReadWrite')
} catch {
    Fail $_
    exit 0
}
$left = $file.Length
Answer @{ size = $left }
$out = [Console]::OpenStandardOutput()
$hash = [Security.Cryptography.SHA256]::Create()
$block = New-Object byte[] 262144
while ($left -gt 0) {
    # Of two numbers, Min converts the second to the type of the first: a long is first.
    $n = $file.Read($block, 0, [Math]::Min($left, $block.Length))
    if ($n -le 0) { throw 'the file became shorter while it was read' }
    $out.Write($block, 0, $n)
    [void]$hash.TransformBlock($block, 0, $n, $block, 0)
    $left -= $n
}
$out.Flush()
$file.Dispose()
[void]$hash.TransformFinalBlock($block, 0, 0)
[Console]::Out.Write([BitConverter]::ToString($hash.Hash).Replace('-', '').ToLowerInvariant() + "`n")
