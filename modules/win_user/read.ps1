# A local user, whether the password is the wanted one, and in which of the wanted
# groups it is. Groups are known by name or SID. A password is tried only where one is
# asked for and the user may log in, since failures count.
$user = Find-Existing { Get-LocalUser -Name $Arguments.name }
if (-not $user) {
    return @{ there = $false }
}
$memberships = @()
if ($Arguments.groups) {
    $memberships = @(Get-Memberships $Arguments.name)
}
$groups = @(foreach ($wanted in $Arguments.groups) {
    if ($wanted.StartsWith('S-1-')) {
        $group = Get-LocalGroup -SID $wanted
    } else {
        $group = Get-LocalGroup -Name $wanted
    }
    if ($memberships -contains $group.Name) {
        $wanted
    }
})
$valid = $true
if ($Arguments.password -and $user.Enabled) {
    Add-Type -AssemblyName System.DirectoryServices.AccountManagement
    $context = [DirectoryServices.AccountManagement.PrincipalContext]::new('Machine')
    $valid = $context.ValidateCredentials($Arguments.name, $Arguments.password)
    $context.Dispose()
}
@{
    there = $true
    sid = $user.SID.Value
    fullName = "$($user.FullName)"
    description = "$($user.Description)"
    enabled = $user.Enabled
    neverExpires = $null -eq $user.PasswordExpires
    mayChange = $user.UserMayChangePassword
    password = $valid
    groups = $groups
}
