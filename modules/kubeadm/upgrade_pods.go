package kubeadm

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

// pods waits until all static pods of the node run the images of their manifests and are ready. A node without
// manifests has none.
func (t *UpgradeTask) pods(ctx context.Context, h module.Host) error {
	want, err := manifestImages(ctx, h)
	if err != nil || len(want) == 0 {
		return err
	}
	config, err := kubeapi.ReadConfig(ctx, h, kubeletConf)
	if err != nil {
		return err
	}
	h.Report(event.Progress{Text: "wait for the control plane of " + h.Name()})
	lacks := ""
	err = kubeapi.Wait(ctx, h, t.Wait.Time(), func(ctx context.Context) (bool, error) {
		is, err := config.StaticPods(ctx, h, config.Node())
		if err == nil {
			lacks = missing(want, is)
		}
		return err == nil && lacks == "", err
	})
	if err != nil {
		return fmt.Errorf("wait for the control plane of %s: %s: %w", h.Name(), lacks, err)
	}
	return nil
}

// manifestImages returns the image of each static pod of the control plane, by its name.
func manifestImages(ctx context.Context, h module.Host) (map[string]string, error) {
	images := map[string]string{}
	for _, name := range controlPlane {
		text, there, err := hostfile.Read(ctx, h, path.Join(manifestsDir, name))
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		var pod struct {
			Spec struct {
				Containers []struct{ Name, Image string }
			}
		}
		if err := yaml.Unmarshal([]byte(text), &pod); err != nil {
			return nil, fmt.Errorf("read %s/%s: %w", manifestsDir, name, err)
		}
		for _, c := range pod.Spec.Containers {
			images[c.Name] = c.Image
		}
	}
	return images, nil
}

// missing says what is not as wanted.
func missing(want map[string]string, is []kubeapi.Container) string {
	has := map[string]kubeapi.Container{}
	for _, c := range is {
		has[c.Name] = c
	}
	var lines []string
	for name, image := range want {
		switch c, there := has[name]; {
		case !there:
			lines = append(lines, name+" does not run")
		case c.Image != image:
			lines = append(lines, fmt.Sprintf("%s has the image %s and not %s", name, c.Image, image))
		case !c.Ready:
			lines = append(lines, name+" is not ready")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}
