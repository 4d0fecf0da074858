# Takes this machine out of its cluster. Made by kinit, run at clean-up. Beside it is the
# record of what the cluster was to make here and what there was before, which stays.
# Networks of containers go afterwards: without them connections to the machine end.
# Commands that are functions of modules see only global preferences.
$global:ErrorActionPreference = 'Stop'
$global:ProgressPreference = 'SilentlyContinue'
$record = [IO.File]::ReadAllText("$PSScriptRoot\record.json") | ConvertFrom-Json
$traces = $record.traces
$before = $record.before

# What a command finds, and nothing if there is no such object.
function Find-Existing([scriptblock] $Command) {
    try {
        & $Command
    } catch {
        if ($_.CategoryInfo.Category.ToString() -ne 'ObjectNotFound') {
            throw
        }
    }
}

# Does a part of the work. If it fails, the others are done all the same, and the end says what is left.
$left = @()
function Invoke-Part([string] $Name, [scriptblock] $Part) {
    try {
        & $Part
    } catch {
        $script:left += "${Name}: $($_.Exception.Message)"
    }
}

# Removes a file or a folder with all in it. What Windows keeps for itself is taken first.
function Remove-Whole([string] $Path) {
    if (-not [IO.File]::Exists($Path) -and -not [IO.Directory]::Exists($Path)) {
        return
    }
    try {
        Remove-Item -LiteralPath $Path -Recurse -Force
    } catch {
        $null = & takeown.exe /F $Path /R /A /SKIPSL
        $null = & icacls.exe $Path /grant '*S-1-5-32-544:(OI)(CI)F' /T /C /Q
        Remove-Item -LiteralPath $Path -Recurse -Force
    }
}

# Removes what has come into a folder since the record.
function Remove-New([string] $Folder) {
    foreach ($path in [IO.Directory]::GetFileSystemEntries($Folder)) {
        if ($before.below -notcontains $path) {
            Remove-Whole $path
        } elseif ([IO.Directory]::Exists($path) -and -not ([IO.File]::GetAttributes($path) -band [IO.FileAttributes]::ReparsePoint)) {
            Remove-New $path
        }
    }
}

function Stop-Named([string] $Name) {
    if (Find-Existing { Get-Service -Name $Name }) {
        Stop-Service -Name $Name -Force
    }
}
