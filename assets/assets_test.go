package assets_test

import (
	"bytes"
	"image/png"
	"os"
	"testing"

	"reckoner/assets"
)

func TestIconsHaveTheSizesThatDesktopsTake(t *testing.T) {
	for _, c := range []struct {
		name string
		icon []byte
		side int
	}{
		{"the program's", assets.Icon, 512},
		{"tray, idle", assets.TrayIdle, 64},
		{"tray, running", assets.TrayRunning, 64},
		{"tray, paused", assets.TrayPaused, 64},
		{"tray, attention", assets.TrayAttention, 64},
	} {
		pic, err := png.DecodeConfig(bytes.NewReader(c.icon))
		if err != nil {
			t.Errorf("%s icon: %v", c.name, err)
			continue
		}
		if pic.Width != c.side || pic.Height != c.side {
			t.Errorf("%s icon is %d x %d, want %d", c.name, pic.Width, pic.Height, c.side)
		}
	}
}

func TestMenuEntryTakesDroppedFiles(t *testing.T) {
	entry, err := os.ReadFile("reckoner.desktop")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(entry, []byte("\nExec=reckoner %F\n")) {
		t.Error("Exec hands no files over")
	}
}
