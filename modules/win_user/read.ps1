# A local user, whether the password is the wanted one, and in which of the wanted
# groups it is. Groups are known by name or SID. A password is tried only where one is
# asked for and the user may log in, since failures count.
$user = Get-LocalUser -Name $Arguments.name -ErrorAction SilentlyContinue
if (-not $user) {
    return @{ there = $false }
}
$groups = @(foreach ($wanted in $Arguments.groups) {
    if ($wanted.StartsWith('S-1-')) {
        $group = Get-LocalGroup -SID $wanted
    } else {
        $group = Get-LocalGroup -Name $wanted
    }
    $members = @(Get-LocalGroupMember -Group $group | Where-Object { $_.SID.Value -eq $user.SID.Value })
    if ($members.Count -gt 0) {
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
