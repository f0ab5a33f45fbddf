package assets

import "embed"

// Samples are the jobs that the demonstration plays and that the empty queue
// offers, samples/NAME.json in ComfyUI's API format. Each writes its results
// under its own name, uses classes of a stock ComfyUI only, and needs no upload.
//
// beach-walk, harbour-night, forest-loop and old-town are one job type: image to
// video, 640 wide and high, 161 frames, 20 steps. dune-sunrise and lighthouse
// are another: text to image. logo-spin is alone of its kind.
//
//go:embed samples/*.json
var Samples embed.FS
