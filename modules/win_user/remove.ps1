# Removes a local user.
if (Find-Existing { Get-LocalUser -Name $Arguments.name }) {
    Remove-LocalUser -Name $Arguments.name
}
