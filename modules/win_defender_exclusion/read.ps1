# What Defender does not scan. Without its cmdlets it is not installed; 0x800106BA is
# its error while its service does not run.
if (-not (Get-Command -Name Get-MpPreference -ErrorAction SilentlyContinue)) {
    return @{ installed = $false; running = $false }
}
try {
    $preference = Get-MpPreference
} catch {
    if ($_.Exception.HResult -ne 0x800106BA) {
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
