# Adds or removes exclusions of Defender.
$parameters = @{}
if ($Arguments.paths) { $parameters.ExclusionPath = [string[]]$Arguments.paths }
if ($Arguments.processes) { $parameters.ExclusionProcess = [string[]]$Arguments.processes }
if ($Arguments.extensions) { $parameters.ExclusionExtension = [string[]]$Arguments.extensions }
if ($Arguments.remove) {
    Remove-MpPreference @parameters
} else {
    Add-MpPreference @parameters
}
