# Asks the host networking service. Windows has cmdlets to list networks and none to
# make them; this is the function of vmcompute.dll that container runtimes call.
Add-Type -Namespace Kinit -Name Hns -MemberDefinition @'
[DllImport("vmcompute.dll")]
public static extern void HNSCall(
    [MarshalAs(UnmanagedType.LPWStr)] string method,
    [MarshalAs(UnmanagedType.LPWStr)] string path,
    [MarshalAs(UnmanagedType.LPWStr)] string request,
    [MarshalAs(UnmanagedType.LPWStr)] out string response);
'@

if (-not (Find-Existing { Get-Service -Name hns })) {
    throw 'the host has no host networking service: install the feature Containers, and restart the host'
}

function Invoke-Hns([string] $Method, [string] $Path, [string] $Request) {
    $response = ''
    [Kinit.Hns]::HNSCall($Method, $Path, $Request, [ref] $response)
    $answer = $response | ConvertFrom-Json
    if (-not $answer.Success) {
        throw ('The host networking service refused {0} {1}: {2}' -f $Method, $Path, $answer.Error)
    }
    $answer.Output
}
