package topology

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/event"
	"kinit/test/browser"
	"kinit/test/golden"
	"kinit/test/replaytest"
)

func TestPictureOfAClusterIsWhatTheFileSays(t *testing.T) {
	t.Parallel()
	golden.Check(t, "testdata/shop.svg", SVG(replaytest.Cluster()))
}

// large is a cluster of that many hypervisors, each with that many nodes.
func large(hypervisors, nodes int) *event.Topology {
	t := replaytest.Cluster()
	t.Hypervisors, t.Nodes = nil, nil
	for h := range hypervisors {
		name := fmt.Sprintf("hypervisor-%02d.example.org", h+1)
		t.Hypervisors = append(t.Hypervisors, event.Hypervisor{Name: name, Address: fmt.Sprintf("192.0.2.%d", h+1), IP: fmt.Sprintf("10.0.0.%d", 252-h)})
		for n := range nodes {
			t.Nodes = append(t.Nodes, event.Node{Name: fmt.Sprintf("a-cluster-with-a-long-name-compute-%02d", h*nodes+n), Pool: "compute", Driver: "libvirt", OS: "ubuntu-24.04",
				IP: fmt.Sprintf("10.0.%d.%d", h, n), Hypervisor: name, Overlay: true})
		}
	}
	t.Pods[0].Hypervisor = t.Hypervisors[0].Name
	return t
}

// bare is a cluster of existing machines without an overlay.
func bare() *event.Topology {
	t := replaytest.Cluster()
	t.Overlay, t.Pods[0].IP, t.Nodes = nil, "", t.Nodes[2:]
	for i := range t.Hypervisors {
		t.Hypervisors[i].IP = ""
	}
	for port := range 40 {
		t.Pods[0].Ports = append(t.Pods[0].Ports, event.PortPair{Outside: 30000 + port, Inside: 80})
	}
	return t
}

func pictures() map[string]*event.Topology {
	odd := replaytest.Cluster()
	odd.Cluster, odd.Nodes[0].Name, odd.Pods[0].Services[0].Title = `<b>&"`, "</text><script>alert(1)</script>", "\x1b[31mred\u202e"
	return map[string]*event.Topology{
		"shop": replaytest.Cluster(), "odd": odd, "without an overlay": bare(), "one hypervisor": large(1, 9), "ten of five": large(5, 2), "empty": {Cluster: "none"}, "many": large(11, 4),
	}
}

func TestPicturesAreWellFormedAndLoadNothing(t *testing.T) {
	t.Parallel()
	for name, cluster := range pictures() {
		text := SVG(cluster)
		decoder := xml.NewDecoder(strings.NewReader(text))
		elements := map[string]int{}
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		for _, element := range []string{"script", "image", "foreignObject", "use", "a"} {
			if elements[element] > 0 {
				t.Errorf("%s: the picture has the element %s", name, element)
			}
		}
		for _, loading := range []string{"url(", "@import", "@font-face", "href"} {
			if strings.Contains(text, loading) {
				t.Errorf("%s: the picture has %q", name, loading)
			}
		}
		if elements["desc"] != 1 || !strings.Contains(text, `aria-labelledby="topology-title topology-desc"`) {
			t.Errorf("%s: the picture has no description", name)
		}
	}
}

func TestDescriptionNamesNodesServicesAndPorts(t *testing.T) {
	t.Parallel()
	want := "The cluster shop has 3 nodes on 2 hypervisors. " +
		"Hypervisor nyctea has the pod shop-pod-01 at 10.0.0.253 with load balancer, DNS, published ports 6443, 8080→80; shop-controller-01, controller, podman, debian-12, 10.0.0.1. " +
		"Hypervisor tyto has shop-compute-01, compute, podman, debian-12, 10.0.0.2. " +
		"Existing machines: strix, metal, host, windows-2022, 192.0.2.21. " +
		"The logical switch kinit-shop with the network 10.0.0.0/24 connects them through Geneve tunnels. The logical router kinit-shop is its gateway 10.0.0.254."
	if got := describe(replaytest.Cluster()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCardsDoNotOverlapAndStayInTheirFrames(t *testing.T) {
	t.Parallel()
	overlap := func(a, b rect) bool { return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h }
	for name, cluster := range pictures() {
		l := place(cluster)
		var frames []*frame
		for _, r := range l.rows {
			for _, f := range r.frames {
				for _, other := range frames {
					if overlap(f.rect, other.rect) {
						t.Errorf("%s: the frames %s and %s overlap", name, f.head, other.head)
					}
				}
				frames = append(frames, f)
				if f.x < 0 || f.x+f.w > l.w || f.y+f.h > l.h || overlap(f.rect, r.band) {
					t.Errorf("%s: the frame %s is at %v of %d×%d", name, f.head, f.rect, l.w, l.h)
				}
				for i, c := range f.cards {
					if c.x < f.x || c.y < f.y || c.x+c.w > f.x+f.w || c.y+c.h > f.y+f.h {
						t.Errorf("%s: a card of %s is at %v, the frame at %v", name, f.head, c.rect, f.rect)
					}
					for _, other := range f.cards[:i] {
						if overlap(c.rect, other.rect) {
							t.Errorf("%s: two cards of %s overlap", name, f.head)
						}
					}
				}
			}
		}
	}
}

// TestTextsDoNotOverlapInABrowser: the layout does not know how wide the letters of a font are.
func TestTextsDoNotOverlapInABrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var p *browser.Page
	for name, cluster := range pictures() {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".svg")
		if err := os.WriteFile(file, []byte(SVG(cluster)), 0o600); err != nil {
			t.Fatal(err)
		}
		if p == nil {
			p = browser.Open(t, file, browser.Laptop())
		} else {
			p.Visit(file)
		}
		p.Keep("topology-"+strings.ReplaceAll(name, " ", "-"), false)
		got := browser.Value[[]string](p, `(() => {
			const all = [...document.querySelectorAll("text")].filter(t => t.textContent).map(t => [t.textContent, t.getBBox()]), svg = document.documentElement, found = [];
			all.forEach(([text, a], i) => {
				if (a.x < 0 || a.x + a.width > svg.viewBox.baseVal.width) found.push(text + " leaves the picture");
				for (const [other, b] of all.slice(0, i))
					if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 3 < b.y + b.height && b.y + 3 < a.y + a.height) found.push(text + " overlaps " + other);
			});
			return found;
		})()`)
		for _, problem := range got {
			t.Errorf("%s: %s", name, problem)
		}
	}
}
