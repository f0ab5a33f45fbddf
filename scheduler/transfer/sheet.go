package transfer

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// mostOwned is how much of a sheet is read to see whose it is.
const mostOwned = 64 << 10 // bytes

// WriteSheet writes a table of a batch next to its results, as comma-separated
// values, and gives its path. It replaces only what it wrote of the same batch
// before: the last column of every row is the batch's id. It lies in the first
// folder of the template that all jobs of the batch share.
func WriteSheet(to job.Destination, columns []string, rows [][]string) (string, error) {
	root, dir, err := openResults(to.Dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	folder := sharedFolder(to)
	if folder != "" {
		inner, err := openBelow(root, folder)
		if err != nil {
			return "", diskError(filepath.Join(dir, folder), err)
		}
		defer func() { _ = inner.Close() }()
		root, dir = inner, filepath.Join(dir, folder)
	}
	name, err := writeSheet(root, cmp.Or(folderName(to.Batch), "batch"), columns, rows)
	if err != nil {
		return "", diskError(filepath.Join(dir, name), err)
	}
	return filepath.Join(dir, name), nil
}

// sharedFolder gives the folders of a template that do not depend on the job.
func sharedFolder(to job.Destination) string {
	folders, _ := split(to.Names)
	own := slices.IndexFunc(folders, func(f string) bool {
		return slices.ContainsFunc([]string{job.NameOfJob, job.NameOfSeed, job.NameOfMachine, job.NameOfFile},
			func(p string) bool { return strings.Contains(f, p) })
	})
	if own >= 0 {
		folders = folders[:own]
	}
	to.Names = strings.Join(folders, "/") + "/"
	folder, _ := pathOf(to, "")
	return folder
}

// openBelow makes a folder below another and opens it.
func openBelow(root *os.Root, folder string) (*os.Root, error) {
	if err := root.MkdirAll(folder, folderMode); err != nil {
		return nil, err
	}
	return root.OpenRoot(folder)
}

func writeSheet(dir *os.Root, stem string, columns []string, rows [][]string) (name string, err error) {
	name, old, err := sheetName(dir, stem, columns, rows)
	if err != nil {
		return name, err
	}
	part := "." + name + ".part"
	f, err := createPartial(dir, part)
	if err != nil {
		return name, err
	}
	defer func() { _ = dir.Remove(part) }()
	w := csv.NewWriter(f)
	err = errors.Join(w.Write(columns), w.WriteAll(rows))
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return name, err
	}
	if old {
		return name, dir.Rename(part, name)
	}
	return name, moveNew(dir, part, name)
}

// sheetName gives the name of a batch's sheet, and whether it is there already.
func sheetName(dir *os.Root, stem string, columns []string, rows [][]string) (name string, old bool, err error) {
	for n := 1; n <= maxSameName; n++ {
		name = stem + ".csv"
		if n > 1 {
			name = fmt.Sprintf("%s (%d).csv", stem, n)
		}
		_, err := dir.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, false, nil
		case err != nil:
			return name, false, err
		case isSheetOf(dir, name, columns, rows):
			return name, true, nil
		}
	}
	return name, false, fs.ErrExist
}

// isSheetOf tells whether a file is an earlier sheet of the same batch.
func isSheetOf(dir *os.Root, name string, columns []string, rows [][]string) bool {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || len(rows) == 0 {
		return false
	}
	f, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(io.LimitReader(f, mostOwned))
	head, err1 := r.Read()
	first, err2 := r.Read()
	return err1 == nil && err2 == nil && slices.Equal(head, columns) && first[len(first)-1] == rows[0][len(rows[0])-1]
}
