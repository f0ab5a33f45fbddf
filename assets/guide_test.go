package assets_test

import (
	"strings"
	"testing"

	"reckoner/assets"
)

func TestTheGuideHasChaptersInOrder(t *testing.T) {
	chapters := assets.Guide()
	if len(chapters) < 5 || chapters[0].Title != "First steps" {
		t.Fatalf("%d chapters, the first is %q", len(chapters), chapters[0].Title)
	}
	for _, c := range chapters {
		if c.Title == "" || strings.Contains(c.Title, "#") || len(c.Text) < 200 {
			t.Errorf("chapter %q has %d bytes", c.Title, len(c.Text))
		}
	}
}
