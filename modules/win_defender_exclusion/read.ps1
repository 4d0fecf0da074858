# What Defender does not scan. Without its cmdlets it is not installed.
if (-not (Get-Command -Name Get-MpPreference -ErrorAction SilentlyContinue)) {
    return @{ installed = $false; running = $false }
}
try {
    $preference = Get-MpPreference
} catch {
    if (-not (Test-DefenderStopped $_)) {
        throw
    }
    return @{ installed = $true; running = $false }
}
@{
    installed = $true
    running = $true
    paths = @($preference.ExclusionPath)
    processes = @($preference.ExclusionProcess)
    extensions = @($preference.ExclusionExtension)
}
