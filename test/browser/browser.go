// Package browser opens pages in a real, headless Chromium, for tests of what kinit
// writes for browsers. It alone knows the client of the browser's protocol.
package browser

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kinit/engine/need"
)

// Screen is what a page is seen on.
type Screen struct {
	Width, Height int64 // CSS pixels
	Dark          bool  // the person prefers dark colours
	Script        bool  // scripts are on
}

// Laptop is a laptop with light colours.
func Laptop() Screen { return Screen{Width: 1280, Height: 800, Script: true} }

// Phone is a phone with light colours.
func Phone() Screen { return Screen{Width: 390, Height: 844, Script: true} }

// patience is how long a page may take for anything that is asked of it: tests
// share their machine.
const patience = 60 * time.Second

// Page is an open page.
type Page struct {
	t   testing.TB
	ctx context.Context
}

// Open shows a file in a browser of its own, which ends with the test. The test is
// skipped where there is no Chromium, and fails when KINIT_REQUIRE asks for it.
func Open(t testing.TB, path string, s Screen) *Page {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		need.Missing(t, "chromium", err.Error())
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options(program, folder(t))...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	p := &Page{t: t, ctx: ctx}
	if err := chromedp.Do(ctx, p.emulate(s)); err != nil { // it starts the browser, which lives as long as ctx
		t.Fatalf("start the browser: %v", err)
	}
	p.Visit(path)
	return p
}

// Visit shows another file in the same browser.
func (p *Page) Visit(path string) {
	p.t.Helper()
	address := url.URL{Scheme: "file", Path: path}
	p.Goto(address.String())
}

// Goto shows what is at an address in the same browser.
func (p *Page) Goto(address string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(address))
}

// folder makes a folder for all that the browser writes. Its last processes may still
// write there when the test ends, so its removal is tried for a while. Its path is short,
// because the browser makes a socket there.
func folder(t testing.TB) string {
	dir, err := os.MkdirTemp("", "kinit-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 50 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("the browser's folder %s stays behind", dir)
	})
	return dir
}

func options(program, folder string) []chromedp.ExecAllocatorOption {
	all := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.Env("TMPDIR=" + folder),
	}
	for _, flag := range []string{
		"headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
		"disable-component-update", "disable-sync", "disable-dev-shm-usage", "hide-scrollbars", "no-default-browser-check",
	} {
		all = append(all, chromedp.Flag(flag, true))
	}
	return append(all, chromedp.Flag("force-color-profile", "srgb"))
}

func (p *Page) emulate(s Screen) chromedp.Action[chromedp.Void] {
	colours := "light"
	if s.Dark {
		colours = "dark"
	}
	return chromedp.Steps(
		chromedp.EmulateViewport(s.Width, s.Height),
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}},
			})
			return err
		}),
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !s.Script})
			return err
		}),
	)
}

// Do does something to the page.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("the browser: %v", err)
	}
}

// Click clicks on the first element that a CSS selector finds.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Type types into the first element that a CSS selector finds.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Keys that Press knows.
const (
	Tab   = kb.Tab
	Enter = kb.Enter
)

// Press presses a key, wherever the focus is.
func (p *Page) Press(key string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(key))
}

// Value is the value of an expression of JavaScript, or what a promise comes to.
func Value[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := evaluate[T](p, expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func evaluate[T any](p *Page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Await waits until an expression of JavaScript is true. While another page is on its
// way, what is asked of the page before ends with an error, which counts as not yet.
func (p *Page) Await(expression string) {
	p.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var is bool
		if is, err = evaluate[bool](p, "Boolean("+expression+")"); is && err == nil {
			return
		}
	}
	p.t.Fatalf("did not come true: %s (%v)", expression, err)
}

// Picture takes a picture of what is seen, or of the whole page, as PNG.
func (p *Page) Picture(whole bool) []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(ctx, take)
	if err != nil {
		p.t.Fatalf("take a picture: %v", err)
	}
	return png
}

// Keep writes a picture into the folder that the variable KINIT_PICTURES names, for
// people to look at; without it, nothing.
func (p *Page) Keep(name string, whole bool) {
	p.t.Helper()
	dir := os.Getenv("KINIT_PICTURES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Picture(whole), 0o644); err != nil {
		p.t.Fatal(err)
	}
}
