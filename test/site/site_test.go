//go:build site

package site_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kinit/test/browser"
)

// TestSite builds the site once.
func TestSite(t *testing.T) {
	out := t.TempDir()
	if text, err := exec.CommandContext(t.Context(), "../../docs/site/build", out).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	pages := read(t, out)
	t.Run("every page of docs is in it", func(t *testing.T) { hasAllPages(t, pages) })
	t.Run("every link leads to a page and a heading", func(t *testing.T) { linksLead(t, pages) })
	server := httptest.NewServer(http.FileServer(http.Dir(out)))
	t.Cleanup(server.Close)
	for name, screen := range map[string]browser.Screen{"laptop": browser.Laptop(), "phone": browser.Phone()} {
		t.Run("on a "+name+" no page scrolls sideways, and a search finds a module", func(t *testing.T) {
			p := browser.Open(t, filepath.Join(out, "404.html"), screen)
			fits(t, p, server.URL, name)
			finds(t, p, server.URL, screen == browser.Phone())
		})
	}
}

// page is what a page links to, and the parts of it that links may name.
type page struct {
	links []string
	ids   []string
}

// read returns the pages by their paths, such as /start/lab/, and other files without content.
func read(t *testing.T, out string) map[string]page {
	t.Helper()
	pages := map[string]page{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		folder, base := path.Split("/" + name)
		if base != "index.html" {
			pages["/"+name] = page{}
			return nil
		}
		file, err := os.Open(filepath.Join(out, name))
		if err != nil {
			return err
		}
		defer file.Close()
		root, err := html.Parse(file)
		if err != nil {
			return err
		}
		var p page
		for node := range root.Descendants() {
			for _, a := range node.Attr {
				switch {
				case a.Key == "id":
					p.ids = append(p.ids, a.Val)
				case a.Key == "href" && node.Data == "a", a.Key == "src":
					p.links = append(p.links, a.Val)
				}
			}
		}
		pages[folder] = p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func hasAllPages(t *testing.T, pages map[string]page) {
	sources, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("../../docs/design/*.md")
	if err != nil || len(decisions) == 0 {
		t.Fatal(decisions, err)
	}
	for _, source := range append(sources, decisions...) {
		name := strings.ToLower(strings.TrimSuffix(filepath.Base(source), ".md"))
		found := false
		for address := range pages {
			found = found || path.Base(address) == name || name == "readme" && path.Base(address) == "design"
		}
		if !found {
			t.Errorf("%s is not in the site", source)
		}
	}
}

func linksLead(t *testing.T, pages map[string]page) {
	links := 0
	for from, p := range pages {
		for _, link := range p.links {
			u, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", from, err)
				continue
			}
			if u.IsAbs() || u.Host != "" {
				continue
			}
			links++
			base := &url.URL{Path: from}
			target := base.ResolveReference(u)
			to, found := pages[target.Path]
			switch {
			case !found:
				t.Errorf("%s links to %s, and there is no %s", from, link, target.Path)
			case u.Fragment != "" && !slices.Contains(to.ids, u.Fragment):
				t.Errorf("%s links to %s, and %s has no heading %q", from, link, target.Path, u.Fragment)
			}
		}
	}
	if links < 1000 {
		t.Errorf("the site has %d links: are they found?", links)
	}
}

func fits(t *testing.T, p *browser.Page, address, screen string) {
	for _, page := range []string{"/", "/start/first-hour/", "/playbooks/modules/", "/playbooks/inventory/", "/clusters/clusters/", "/inside/design/"} {
		p.Goto(address + page)
		width := browser.Value[[2]int](p, "[document.documentElement.scrollWidth, innerWidth]")
		if width[0] > width[1] {
			t.Errorf("%s is %d pixels wide on a screen of %d", page, width[0], width[1])
		}
		p.Keep(screen+strings.ReplaceAll(page, "/", "_"), false)
	}
}

// finds searches for a module's name. On a phone, the search is in the menu.
func finds(t *testing.T, p *browser.Page, address string, menu bool) {
	p.Goto(address + "/")
	if menu {
		p.Click(".hamburger-menu")
	}
	visible := `[...document.querySelectorAll(".search-input")].find(e => e.offsetParent)`
	p.Await(visible)
	p.Await(visible + `.focus() === undefined && document.activeElement.matches(".search-input")`)
	p.Press("u") // the index is read at the first key
	p.Await(`window.sectionIndex && window.sectionIndex.search("unarchive", 1).length`)
	for _, key := range "narchive" {
		p.Press(string(key))
	}
	p.Await(`[...document.querySelectorAll(".search-results a")].some(a => a.offsetParent && a.href.endsWith("/playbooks/modules/#unarchive"))`)
	p.Keep("search", false)
}
