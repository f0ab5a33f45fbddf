package job

// InputFile is a file that a job reads on its server: a picture, a video or a
// sound that has to be there before the job can run.
type InputFile struct {
	Node  string `json:"node"`
	Title string `json:"title,omitempty"`
	// Input is the node's input that names the file; "" while the job is not
	// converted and only its node is known.
	Input string `json:"input,omitempty"`
	// File is the name in the workflow, as the server takes it: "sub/a.png", also
	// "a.png [output]".
	File string `json:"file"`
	// Blob is the SHA-256 of the content in blobs/. "" means that no file of that
	// name was found here: the server is expected to have it.
	Blob  string `json:"blob,omitempty"`
	Path  string `json:"path,omitempty"` // where it was found on this computer
	Bytes int64  `json:"bytes_b,omitempty"`
}
