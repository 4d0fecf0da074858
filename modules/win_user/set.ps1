# Makes a local user, or changes what is given of the one that is there.
$user = Find-Existing { Get-LocalUser -Name $Arguments.name }
$password = $null
if ($Arguments.password) {
    $password = ConvertTo-SecureString -String $Arguments.password -AsPlainText -Force
}
if (-not $user) {
    $user = New-LocalUser -Name $Arguments.name -Password $password -AccountNeverExpires
} elseif ($password) {
    Set-LocalUser -Name $Arguments.name -Password $password
}
$parameters = @{}
if ($null -ne $Arguments.fullName) { $parameters.FullName = $Arguments.fullName }
if ($null -ne $Arguments.description) { $parameters.Description = $Arguments.description }
if ($null -ne $Arguments.neverExpires) { $parameters.PasswordNeverExpires = $Arguments.neverExpires }
if ($null -ne $Arguments.mayChange) { $parameters.UserMayChangePassword = $Arguments.mayChange }
if ($parameters.Count -gt 0) {
    Set-LocalUser -Name $Arguments.name @parameters
}
if ($Arguments.enabled -eq $true) {
    Enable-LocalUser -Name $Arguments.name
} elseif ($Arguments.enabled -eq $false) {
    Disable-LocalUser -Name $Arguments.name
}
$memberships = @()
if ($Arguments.groups) {
    $memberships = @(Get-Memberships $Arguments.name)
}
foreach ($wanted in $Arguments.groups) {
    if ($wanted.StartsWith('S-1-')) {
        $group = Get-LocalGroup -SID $wanted
    } else {
        $group = Get-LocalGroup -Name $wanted
    }
    if ($memberships -notcontains $group.Name) {
        Add-LocalGroupMember -Group $group -Member $user
    }
}
