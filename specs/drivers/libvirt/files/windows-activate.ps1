# Activates this Windows as slmgr.vbs /ato does.
$filter = "ApplicationID = '55c92734-d682-4d71-983e-d6ec3f16059f'"
try {
    foreach ($product in @(Get-CimInstance -ClassName SoftwareLicensingProduct -Filter $filter | Where-Object { $_.PartialProductKey })) {
        $null = Invoke-CimMethod -InputObject $product -MethodName Activate
    }
} catch {
    throw "Windows was not activated: $($_.Exception.Message). The node must reach Microsoft's activation servers, by https. Without activation set windows_activation to `"none`": evaluation media then turn the node off an hour after each start, once ten days are over"
}
$null = Get-CimInstance -ClassName SoftwareLicensingService | Invoke-CimMethod -MethodName RefreshLicenseStatus
