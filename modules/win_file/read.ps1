# What is at a path, and who may use it.
$path = $Arguments.path
$file = [IO.File]::Exists($path)
$folder = [IO.Directory]::Exists($path)
$access = $null
if ($file -or $folder) {
    $access = Get-Access $path $Arguments.owner
}
@{ file = $file; folder = $folder; access = $access }
