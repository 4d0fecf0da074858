# The SID of an account that is given by its name or its SID.
function Get-Sid([string] $Account) {
    if ($Account.StartsWith('S-1-')) {
        return $Account
    }
    [Security.Principal.NTAccount]::new($Account).Translate([Security.Principal.SecurityIdentifier]).Value
}

# Who owns a file or folder, whether that is the wanted account, and whether none but
# the system (S-1-5-18) and administrators (S-1-5-32-544) has access.
function Get-Access([string] $Path, [string] $Owner) {
    $acl = Get-Acl -LiteralPath $Path
    $rules = $acl.GetAccessRules($true, $true, [Security.Principal.SecurityIdentifier])
    $others = @($rules | Where-Object { 'S-1-5-18', 'S-1-5-32-544' -notcontains $_.IdentityReference.Value })
    $sid = $acl.GetOwner([Security.Principal.SecurityIdentifier]).Value
    @{
        owner = $sid
        owned = $Owner -eq '' -or $sid -eq (Get-Sid $Owner)
        private = $others.Count -eq 0
    }
}

# Gives a file or folder an owner, where one is asked for, and takes it from all but the
# system and administrators. icacls.exe may give things to any account; it wants backslashes.
function Set-Access([string] $Path, [string] $Owner, [bool] $Private) {
    if ($Owner) {
        $null = Invoke-Program 'icacls.exe' @($Path.Replace('/', '\'), '/setowner', ('*' + (Get-Sid $Owner)), '/Q')
    }
    if ($Private -and [IO.Directory]::Exists($Path)) {
        $security = [Security.AccessControl.DirectorySecurity]::new()
        $security.SetSecurityDescriptorSddlForm('D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
        [IO.Directory]::SetAccessControl($Path, $security)
    } elseif ($Private) {
        $security = [Security.AccessControl.FileSecurity]::new()
        $security.SetSecurityDescriptorSddlForm('D:P(A;;FA;;;SY)(A;;FA;;;BA)')
        [IO.File]::SetAccessControl($Path, $security)
    }
}
