// Command screenshot runs a program on a desktop without a screen and keeps a
// picture of its window, which must not be blank. Then it closes the window; the
// program must end by itself, without an error:
//
//	screenshot -out window.png -after 20s bin/reckoner --demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"reckoner/e2e/desk"
)

type settings struct {
	out           string
	title         string
	width, height int
	patience      time.Duration
	after         time.Duration
	program       []string
}

func main() {
	var s settings
	flag.StringVar(&s.out, "out", "window.png", "where the picture goes")
	flag.StringVar(&s.title, "title", "Reckoner", "how the window's title begins")
	flag.IntVar(&s.width, "width", 1280, "of the screen")
	flag.IntVar(&s.height, "height", 820, "of the screen")
	flag.DurationVar(&s.patience, "patience", 30*time.Second, "how long the window may take to appear")
	flag.DurationVar(&s.after, "after", 10*time.Second, "how long the window has been shown")
	flag.Parse()
	s.program = flag.Args()

	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(s settings) (err error) {
	if len(s.program) == 0 {
		return errors.New("say which program to run")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	d, err := desk.Open(ctx, s.width, s.height)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()

	shown, leave := context.WithCancel(ctx)
	defer leave()
	cmd := exec.CommandContext(shown, s.program[0], s.program[1:]...)
	cmd.Env = d.Env()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.program[0], err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		leave() // nobody need wait for a window any more
	}()
	if err := keep(shown, d, s); err != nil {
		leave()
		return errors.Join(err, <-ended)
	}
	// The window has been closed: the program has a while to end by itself.
	defer time.AfterFunc(20*time.Second, leave).Stop()
	if err := <-ended; err != nil {
		return fmt.Errorf("%s ended with: %w", s.program[0], err)
	}
	return nil
}

// keep waits for the window, lets the program go on for a while, writes the
// picture and closes the window.
func keep(ctx context.Context, d *desk.Desk, s settings) error {
	patience, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	window, err := d.Window(patience, s.title)
	if err != nil {
		return err
	}
	select {
	case <-time.After(s.after):
	case <-ctx.Done():
		return ctx.Err()
	}
	pic, err := window.Picture()
	if err != nil {
		return err
	}
	if n := desk.Colours(pic); n < desk.TextAlone {
		return fmt.Errorf("the window is blank: %d colours", n)
	}
	f, err := os.Create(s.out)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(encoder.Encode(f, pic), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", s.out, err)
	}
	return window.Close()
}
