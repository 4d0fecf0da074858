package kubeadm

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"go.yaml.in/yaml/v3"
)

// The API versions of the documents.
const (
	kubeadmAPI   = "kubeadm.k8s.io/v1beta4"
	kubeletAPI   = "kubelet.config.k8s.io/v1beta1"
	kubeProxyAPI = "kubeproxy.config.k8s.io/v1alpha1"
)

// object is a YAML mapping; its keys are written in order.
type object = map[string]any

func (t *ConfigTask) render() (string, error) {
	documents, err := t.documents()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	for _, document := range documents {
		if err := encoder.Encode(document); err != nil {
			return "", fmt.Errorf("write %s: %w", t.Path, err)
		}
	}
	return b.String(), encoder.Close()
}

func (t *ConfigTask) documents() ([]object, error) {
	var documents []object
	if t.Kind == "init" {
		kubelet, err := toObject("kubelet", t.Kubelet)
		if err != nil {
			return nil, err
		}
		proxy, err := toObject("kube_proxy", t.KubeProxy)
		if err != nil {
			return nil, err
		}
		documents = []object{
			header("InitConfiguration", kubeadmAPI, t.initConfiguration()),
			header("ClusterConfiguration", kubeadmAPI, t.clusterConfiguration()),
			header("KubeletConfiguration", kubeletAPI, kubelet),
			header("KubeProxyConfiguration", kubeProxyAPI, proxy),
		}
	} else {
		documents = []object{header("JoinConfiguration", kubeadmAPI, t.joinConfiguration())}
	}
	return documents, t.merge(documents)
}

func header(kind, api string, fields object) object {
	if fields == nil {
		fields = object{}
	}
	fields["kind"], fields["apiVersion"] = kind, api
	return fields
}

// merge applies the argument of that name to the documents.
func (t *ConfigTask) merge(documents []object) error {
	extra, err := toObject("merge", t.Merge)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(extra)) {
		fields, ok := extra[kind].(object)
		i := slices.IndexFunc(documents, func(d object) bool { return d["kind"] == kind })
		if !ok || i < 0 {
			return fmt.Errorf("merge has %q, expected the fields of a document of kind %q", kind, t.Kind)
		}
		overlay(documents[i], fields)
	}
	return nil
}

// overlay sets the fields of one mapping in another, recursively.
func overlay(base, fields object) {
	for name, value := range fields {
		below, isObject := value.(object)
		old, wasObject := base[name].(object)
		if isObject && wasObject {
			overlay(old, below)
			continue
		}
		base[name] = value
	}
}

func (t *ConfigTask) initConfiguration() object {
	fields := object{"nodeRegistration": t.nodeRegistration(), "localAPIEndpoint": t.localEndpoint()}
	token := object{
		"ttl": t.TokenTTL, "description": "made by kinit",
		"usages": []string{"signing", "authentication"}, "groups": []string{bootstrappers},
	}
	put(token, "token", t.Token.Reveal())
	fields["bootstrapTokens"] = []object{token}
	put(fields, "certificateKey", t.CertificateKey.Reveal())
	t.common(fields)
	return fields
}

func (t *ConfigTask) joinConfiguration() object {
	fields := object{
		"nodeRegistration": t.nodeRegistration(),
		"discovery":        object{"file": object{"kubeConfigPath": t.DiscoveryFile}},
	}
	if t.DiscoveryFile == "" {
		fields["discovery"] = object{"bootstrapToken": object{
			"token": t.Token.Reveal(), "apiServerEndpoint": t.ControlPlaneEndpoint, "caCertHashes": []string{t.CACertHash},
		}}
	}
	if t.ControlPlane {
		plane := object{"localAPIEndpoint": t.localEndpoint()}
		put(plane, "certificateKey", t.CertificateKey.Reveal())
		fields["controlPlane"] = plane
	}
	t.common(fields)
	return fields
}

// common sets the fields of both kinds.
func (t *ConfigTask) common(fields object) {
	if t.Patches != "" {
		fields["patches"] = object{"directory": t.Patches}
	}
	if len(t.SkipPhases) > 0 {
		fields["skipPhases"] = t.SkipPhases
	}
	if len(t.Timeouts) > 0 {
		fields["timeouts"] = t.Timeouts
	}
}

func (t *ConfigTask) localEndpoint() object {
	fields := object{"bindPort": t.BindPort}
	put(fields, "advertiseAddress", t.AdvertiseAddress)
	return fields
}

func (t *ConfigTask) nodeRegistration() object {
	fields := object{}
	put(fields, "name", t.NodeName)
	put(fields, "criSocket", t.CRISocket)
	if t.Taints != nil {
		taints := make([]object, len(t.Taints))
		for i, text := range t.Taints {
			taints[i], _ = parseTaint(text) // Validate has checked each
		}
		fields["taints"] = taints
	}
	if args := arguments(t.ExtraArgs["kubelet"]); args != nil {
		fields["kubeletExtraArgs"] = args
	}
	if len(t.IgnorePreflight) > 0 {
		fields["ignorePreflightErrors"] = t.IgnorePreflight
	}
	return fields
}

func (t *ConfigTask) clusterConfiguration() object {
	networking := object{}
	put(networking, "podSubnet", t.PodSubnet)
	put(networking, "serviceSubnet", t.ServiceSubnet)
	put(networking, "dnsDomain", t.DNSDomain)
	fields := object{}
	if len(networking) > 0 {
		fields["networking"] = networking
	}
	put(fields, "kubernetesVersion", t.KubernetesVersion)
	put(fields, "controlPlaneEndpoint", t.ControlPlaneEndpoint)
	put(fields, "imageRepository", t.ImageRepository)
	put(fields, "clusterName", t.ClusterName)
	apiServer := component(t.ExtraArgs["apiserver"])
	if len(t.CertSANs) > 0 {
		apiServer["certSANs"] = t.CertSANs
	}
	for name, part := range map[string]object{
		"apiServer":         apiServer,
		"controllerManager": component(t.ExtraArgs["controller_manager"]),
		"scheduler":         component(t.ExtraArgs["scheduler"]),
	} {
		if len(part) > 0 {
			fields[name] = part
		}
	}
	if etcd := component(t.ExtraArgs["etcd"]); len(etcd) > 0 {
		// kubeadm's default for a field that must not be missing.
		etcd["dataDir"] = "/var/lib/etcd"
		fields["etcd"] = object{"local": etcd}
	}
	return fields
}

func component(args map[string]string) object {
	fields := object{}
	if list := arguments(args); list != nil {
		fields["extraArgs"] = list
	}
	return fields
}

// arguments is a component's arguments as a list, sorted by name.
func arguments(args map[string]string) []object {
	var list []object
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, object{"name": name, "value": args[name]})
	}
	return list
}

// put sets a field that has a value.
func put(fields object, name, value string) {
	if value != "" {
		fields[name] = value
	}
}

// parseTaint reads "key=value:Effect" or "key:Effect".
func parseTaint(text string) (object, error) {
	left, effect, found := strings.Cut(text, ":")
	key, value, _ := strings.Cut(left, "=")
	if !found || key == "" || !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, effect) {
		return nil, fmt.Errorf("taints has %q, expected key=value:Effect or key:Effect with NoSchedule, PreferNoSchedule or NoExecute", text)
	}
	taint := object{"key": key, "effect": effect}
	put(taint, "value", value)
	return taint, nil
}

// toObject turns the value of an argument into a mapping; no value is an empty
// one.
func toObject(argument string, value cty.Value) (object, error) {
	fields := object{}
	if value == cty.NilVal || value.IsNull() {
		return fields, nil
	}
	if !value.Type().IsObjectType() && !value.Type().IsMapType() {
		return nil, fmt.Errorf("%s is %s, expected an object", argument, value.Type().FriendlyName())
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err == nil {
		err = yaml.Unmarshal(text, &fields) // which keeps whole numbers, unlike package json
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", argument, err)
	}
	return fields, nil
}
