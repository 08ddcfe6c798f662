package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browser finds a Chromium, or skips the test.
func browser(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser several times")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("the page is not looked at: no Chromium is installed (apt-get install chromium)")
	return ""
}

// look runs the browser on a page, without a window.
func look(t *testing.T, exe, page string, width, height int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	all := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--user-data-dir=" + t.TempDir(), fmt.Sprintf("--window-size=%d,%d", width, height),
	}, args...)
	out, err := exec.CommandContext(ctx, exe, append(all, "file://"+page)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", exe, err)
	}
	return string(out)
}

func writePage(t *testing.T, extra string) string {
	t.Helper()
	var b strings.Builder
	if err := world(t).HTML(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(b.String()+extra), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPageIsSelfContained: nothing is loaded, and no script runs.
func TestPageIsSelfContained(t *testing.T) {
	text, err := os.ReadFile(writePage(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "src=", "href=", "url(", "@import", "http:", "https:", "NaN", "ZgotmplZ", "<b>& more"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(string(text), "<svg"); n < 6+3*5 {
		t.Errorf("the page has %d pictures", n)
	}
}

// TestPageInBrowser looks at the page in a real browser: light and dark, phone
// and desk.
func TestPageInBrowser(t *testing.T) {
	exe := browser(t)
	page := writePage(t, "")
	for _, c := range []struct {
		name  string
		width int
		dark  bool
	}{{"desk, light", 1280, false}, {"desk, dark", 1280, true}, {"phone, light", 390, false}, {"phone, dark", 390, true}} {
		scheme := "1"
		if c.dark {
			scheme = "0"
		}
		shot := filepath.Join(t.TempDir(), "shot.png")
		look(t, exe, page, c.width, 2400, "--blink-settings=preferredColorScheme="+scheme, "--screenshot="+shot)
		checkShot(t, c.name, shot, c.width, c.dark)
	}
}

// checkShot: the size is right, the ground is light or dark, and both sides'
// colors are there.
func checkShot(t *testing.T, name, file string, width int, dark bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Dx(); got != width {
		t.Errorf("%s: the picture is %d wide, want %d", name, got, width)
	}
	base, head, bright := color.RGBA{0x2a, 0x6f, 0xc9, 255}, color.RGBA{0xd9, 0x59, 0x1a, 255}, [2]float64{0.85, 1}
	if dark {
		base, head, bright = color.RGBA{0x64, 0xa4, 0xf4, 255}, color.RGBA{0xf0, 0x87, 0x4e, 255}, [2]float64{0, 0.25}
	}
	counts, mean := survey(img)
	if mean < bright[0] || mean > bright[1] {
		t.Errorf("%s: the mean brightness is %.2f", name, mean)
	}
	if counts[base] < 50 || counts[head] < 50 {
		t.Errorf("%s: %d pixels of base's color, %d of head's", name, counts[base], counts[head])
	}
	if len(counts) < 200 {
		t.Errorf("%s: only %d colors", name, len(counts))
	}
}

// survey counts colors and gives the mean brightness from 0 to 1.
func survey(img image.Image) (counts map[color.RGBA]int, mean float64) {
	counts = map[color.RGBA]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			counts[c]++
			mean += (float64(c.R) + float64(c.G) + float64(c.B)) / (3 * 255)
		}
	}
	return counts, mean / float64(b.Dx()*b.Dy())
}

// probe measures the page from within: what sticks out, what is cut off, what
// lies over something else.
const probe = `<script>addEventListener("load", () => {
  const wide = document.documentElement.scrollWidth, cut = [], flat = [], over = [];
  for (const s of document.querySelectorAll("svg")) {
    const box = s.getBoundingClientRect();
    if (box.width < 10 || box.height < 10) flat.push(s.getAttribute("aria-label") || s.parentElement.textContent);
    const inside = s.viewBox.baseVal, texts = [...s.querySelectorAll("text")];
    for (const t of texts) {
      const b = t.getBBox();
      if (b.x < -1 || b.y < -1 || b.x + b.width > inside.width + 1 || b.y + b.height > inside.height + 1) cut.push(t.textContent);
    }
    const boxes = texts.map(t => [t.textContent, t.getBBox()]);
    for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
      const [a, p] = boxes[i], [b, q] = boxes[k];
      if (p.x + 1 < q.x + q.width && q.x + 1 < p.x + p.width && p.y + 4 < q.y + q.height && q.y + 4 < p.y + p.height) over.push(a + " / " + b);
    }
  }
  const cards = [...document.querySelectorAll(".card")].map(c => c.getBoundingClientRect());
  for (let i = 0; i < cards.length; i++) for (let k = 0; k < i; k++) {
    const a = cards[i], b = cards[k];
    if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom) over.push("cards " + i + " " + k);
  }
  parent.postMessage(JSON.stringify({wide, inner: innerWidth, cut, flat, over,
    loaded: performance.getEntriesByType("resource").length, pictures: document.querySelectorAll("svg").length}), "*");
})</script>`

// frame shows a page as wide as it is told to, since a window has a least
// width, and keeps what the probe says.
const frame = `<!DOCTYPE html><body style="margin:0"><script>
addEventListener("message", e => document.documentElement.setAttribute("data-probe", e.data))
</script><iframe src="page.html" style="border:0;width:%dpx;height:900px"></iframe>`

var probed = regexp.MustCompile(`data-probe="([^"]*)"`)

// TestPageLayout: nothing sticks out, is cut off or covered, at any width.
func TestPageLayout(t *testing.T) {
	exe := browser(t)
	page := writePage(t, probe)
	for _, width := range []int{1280, 820, 390} {
		outer := filepath.Join(filepath.Dir(page), "frame.html")
		if err := os.WriteFile(outer, fmt.Appendf(nil, frame, width), 0o666); err != nil {
			t.Fatal(err)
		}
		dom := look(t, exe, outer, 1300, 900, "--virtual-time-budget=5000", "--dump-dom")
		m := probed.FindStringSubmatch(dom)
		if m == nil {
			t.Fatalf("width %d: the probe did not run", width)
		}
		var p struct {
			Wide, Inner, Loaded, Pictures int
			Cut, Flat, Over               []string
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &p); err != nil {
			t.Fatal(err)
		}
		if p.Wide > p.Inner || p.Inner != width {
			t.Errorf("width %d: the page is %d wide in a window of %d", width, p.Wide, p.Inner)
		}
		if len(p.Cut)+len(p.Flat)+len(p.Over) > 0 {
			t.Errorf("width %d: cut off %q, without size %q, covered %q", width, p.Cut, p.Flat, p.Over)
		}
		if p.Loaded != 0 || p.Pictures < 20 {
			t.Errorf("width %d: %d things loaded, %d pictures", width, p.Loaded, p.Pictures)
		}
	}
}
