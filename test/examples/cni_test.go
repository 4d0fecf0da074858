package examples

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	// No code of it runs here: the import keeps the module, whose types are read, in go.mod.
	_ "github.com/containernetworking/plugins/pkg/utils/buildversion"
)

// pluginKeys are the JSON keys of the configuration that a CNI plugin for Windows reads, from the Go
// types of the pinned plugins.
func pluginKeys(t *testing.T, plugin string) []string {
	t.Helper()
	var keys []string
	plugins := moduleFolder(t, "github.com/containernetworking/plugins")
	keys = append(keys, structKeys(t, filepath.Join(plugins, "pkg/hns/netconf_windows.go"), "NetConf")...)
	return append(keys, structKeys(t, filepath.Join(plugins, "plugins/main/windows", plugin, plugin+"_windows.go"), "NetConf")...)
}

// moduleFolder is where the source of a Go module is.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// structKeys are the JSON keys of a struct's own fields.
func structKeys(t *testing.T, file, name string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := parsed.Scope.Lookup(name).Decl.(*ast.TypeSpec)
	if !ok {
		t.Fatalf("%s has no type %s", file, name)
	}
	var keys []string
	for _, field := range found.Type.(*ast.StructType).Fields.List {
		if field.Tag != nil {
			tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
			keys = append(keys, strings.Split(tag, ",")[0])
		}
	}
	return keys
}

// The settings of policies, as hcsshim v0.12.9 reads them (hcn/hcnpolicy.go).
func policySettings() map[string]any {
	return map[string]any{
		"OutBoundNAT": &struct{ Exceptions, Destinations []string }{},
		"SDNRoute": &struct {
			DestinationPrefix, NextHop string
			NeedEncap                  bool
		}{},
		"ProviderAddress": &struct{ ProviderAddress string }{},
	}
}

func TestWindowsCNIConfigurationIsWhatThePinnedPluginsRead(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]struct {
		plugin   string
		policies []string
	}{
		"flannel-vxlan":   {"win-overlay", []string{"OutBoundNAT", "SDNRoute", "ProviderAddress"}},
		"flannel-host-gw": {"win-bridge", []string{"OutBoundNAT", "SDNRoute", "SDNRoute"}},
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			o := options(t, "k8s-libvirt-1-1-1")
			o.Hosts = []string{"a"}
			o.Vars = map[string]string{"compute_os": "windows", "windows_iso": iso, "windows_activation": "none", "pod_network": network}
			for _, text := range evaluate(t, o, "values(local.windows_cni_configs)") {
				checkCNI(t, text, want.plugin, want.policies)
			}
		})
	}
}

// checkCNI reads one configuration as the plugins do.
func checkCNI(t *testing.T, text, plugin string, policies []string) {
	t.Helper()
	var config struct {
		Name     string
		Type     string
		Delegate map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &config); err != nil || config.Type != "flannel" {
		t.Fatalf("%v: %s", err, text)
	}
	known := append(pluginKeys(t, plugin), "type")
	for _, key := range slices.Sorted(maps.Keys(config.Delegate)) {
		if !slices.Contains(known, key) {
			t.Errorf("%s has no key %s, only %v", plugin, key, known)
		}
	}
	// Without version 2 of the API the plugin looks for an endpoint that containerd never makes.
	if got := string(config.Delegate["apiVersion"]); got != "2" {
		t.Errorf("apiVersion is %q, want 2", got)
	}
	if got := string(config.Delegate["type"]); got != `"`+plugin+`"` {
		t.Errorf("the plugin is %s, want %s", got, plugin)
	}
	var given []struct {
		Name  string
		Value struct {
			Type     string
			Settings json.RawMessage
		}
	}
	if err := json.Unmarshal(config.Delegate["policies"], &given); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, policy := range given {
		kinds = append(kinds, policy.Value.Type)
		decoder := json.NewDecoder(bytes.NewReader(policy.Value.Settings))
		decoder.DisallowUnknownFields()
		settings, ok := policySettings()[policy.Value.Type]
		if !ok || policy.Name != "EndpointPolicy" {
			t.Errorf("no policy is %s of type %s", policy.Name, policy.Value.Type)
		} else if err := decoder.Decode(settings); err != nil {
			t.Errorf("%s: %v in %s", policy.Value.Type, err, policy.Value.Settings)
		}
	}
	if !slices.Equal(kinds, policies) {
		t.Errorf("policies %v, want %v", kinds, policies)
	}
}
