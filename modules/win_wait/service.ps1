# Tells whether a service is as it should be.
$service = Get-Service -Name $Arguments.service -ErrorAction SilentlyContinue
$state = 'not there'
if ($service) {
    $state = $service.Status.ToString()
}
@{ done = $state -eq $Arguments.state; why = "it is $state" }
