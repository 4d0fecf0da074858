# Tells whether a service is as it should be.
$service = Find-Existing { Get-Service -Name $Arguments.service }
$state = 'not there'
if ($service) {
    $state = $service.Status.ToString()
}
@{ done = $state -eq $Arguments.state; why = "it is $state" }
