package kubeadm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/hostfile"
)

// dropTime limits the removal of a configuration's copy after an interrupt.
const dropTime = 10 * time.Second

// timeouts are kubeadm's own, of the API version v1beta4
// (https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/, "Timeouts").
var timeouts = map[string]time.Duration{
	"controlPlaneComponentHealthCheck": 4 * time.Minute, "kubeletHealthCheck": 4 * time.Minute,
	"kubernetesAPICall": time.Minute, "etcdAPICall": 2 * time.Minute, "tlsBootstrap": 5 * time.Minute,
	"discovery": 5 * time.Minute, "upgradeManifests": 5 * time.Minute,
}

// call runs kubeadm with the configuration. On a slow host kubeadm gets a temporary copy with
// longer timeouts: the configuration itself must not change with the load of the host.
func (n node) call(ctx context.Context, h module.Host, args, skipPhases []string) error {
	config := n.Config
	if slow := module.Gauge(h).Measure(ctx); slow > pace.Ordinary {
		text, err := hostfile.Need(ctx, h, n.Config)
		if err != nil {
			return err
		}
		longer, changed, err := stretch(string(text), slow)
		if err != nil {
			return fmt.Errorf("make the timeouts of %s longer: %w", n.Config, err)
		}
		if changed {
			config += ".slow"
			if err := hostfile.Put(ctx, h, config, longer, module.Attr{Mode: 0o600}); err != nil {
				return err
			}
		}
	}
	err := kubeadm(ctx, h, "kubeadm", n.args(config, args, skipPhases)...)
	if config == n.Config {
		return err
	}
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if dropped := hostfile.Drop(later, h, config); dropped != nil {
		return errors.Join(err, dropped)
	}
	return err
}

// stretch multiplies all timeouts of a configuration by the pace, also those that it leaves
// to kubeadm. A configuration without a document with timeouts does not change.
func stretch(text string, slow float64) (longer string, changed bool, err error) {
	in := yaml.NewDecoder(strings.NewReader(text))
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	for {
		var document object
		if err := in.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", false, err
		}
		if document["apiVersion"] == kubeadmAPI && slices.Contains([]any{"InitConfiguration", "JoinConfiguration"}, document["kind"]) {
			if document["timeouts"], err = stretched(document["timeouts"], slow); err != nil {
				return "", false, err
			}
			changed = true
		}
		if err := encoder.Encode(document); err != nil {
			return "", false, err
		}
	}
	return out.String(), changed, encoder.Close()
}

// stretched returns kubeadm's timeouts, overridden by the given ones, each multiplied by the pace.
func stretched(given any, slow float64) (object, error) {
	all := object{}
	for name, limit := range timeouts {
		all[name] = pace.Stretch(limit, slow).String()
	}
	said, _ := given.(object)
	for name, value := range said {
		limit, err := time.ParseDuration(fmt.Sprint(value))
		if err != nil {
			return nil, fmt.Errorf("%s is %v: %w", name, value, err)
		}
		all[name] = pace.Stretch(limit, slow).String()
	}
	return all, nil
}
