# Removes a local user.
if (Get-LocalUser -Name $Arguments.name -ErrorAction SilentlyContinue) {
    Remove-LocalUser -Name $Arguments.name
}
