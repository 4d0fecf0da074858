# What is at a path. The checksum is computed where the size is the wanted one, since
# only then the content can be.
$path = $Arguments.path
$state = @{
    file = [IO.File]::Exists($path)
    folder = [IO.Directory]::Exists($path)
    size = 0
    sha256 = ''
    access = $null
}
if ($state.file) {
    $state.size = (Get-Item -LiteralPath $path -Force).Length
    if ($state.size -eq $Arguments.size) {
        $state.sha256 = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
    }
    $state.access = Get-Access $path $Arguments.owner
}
$state
