# Tells whether a path is there.
$there = [IO.File]::Exists($Arguments.path) -or [IO.Directory]::Exists($Arguments.path)
@{ done = $there; why = 'it is not there' }
