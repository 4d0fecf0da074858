# The groups that a user is in. Get-LocalGroupMember fails if a member of the group is an account that is gone, so the
# user is asked, and not the group.
function Get-Memberships([string] $Name) {
    $path = "Win32_UserAccount.Domain='{0}',Name='{1}'" -f $env:COMPUTERNAME, $Name.Replace("'", "\'")
    Get-CimInstance -ClassName Win32_GroupUser -Filter "PartComponent = ""$path""" | ForEach-Object { $_.GroupComponent.Name }
}
