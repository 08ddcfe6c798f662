package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// The limits, of code and of tests, which list cases.
type limits struct{ file, function int }

var (
	codeLimits = limits{file: 400, function: 70}
	testLimits = limits{file: 500, function: 150}
)

// source is one parsed Go file.
type source struct {
	name string // relative to the root, slash-separated
	text []byte
	fset *token.FileSet
	file *ast.File
}

func (s *source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// generated reports Go's mark of a generated file.
func (s *source) generated() bool { return ast.IsGenerated(s.file) }

// sources parses every Go file of the module, testdata left out.
func sources(t *testing.T) []*source {
	t.Helper()
	var all []*source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && path != root && (base == "testdata" || base == "tools" || strings.HasPrefix(base, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		s, err := parse(path)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func parse(path string) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	s := &source{name: filepath.ToSlash(rel), text: text, fset: token.NewFileSet()}
	s.file, err = parser.ParseFile(s.fset, s.name, text, parser.ParseComments)
	return s, err
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		limit := codeLimits
		if s.test() {
			limit = testLimits
		}
		if n := bytes.Count(s.text, []byte("\n")); n > limit.file && !s.generated() {
			t.Errorf("%s has %d lines, more than %d", s.name, n, limit.file)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := s.fset.Position(f.Pos()), s.fset.Position(f.End())
			if n := to.Line - from.Line + 1; n > limit.function {
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.name, from.Line, f.Name, n, limit.function)
			}
		}
	}
}

// TestPackagesSayWhatTheyAre: a comment on every package, in one of its files.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	said := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		dir := filepath.Dir(s.name)
		said[dir] = said[dir] || s.file.Doc != nil
		switch s.file.Name.Name {
		case "util", "utils", "common", "helpers", "misc":
			t.Errorf("%s: a package called %s says nothing", s.name, s.file.Name)
		}
	}
	for dir, ok := range said {
		if !ok {
			t.Errorf("%s: no package comment", dir)
		}
	}
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestNothingIsLeftForLater(t *testing.T) {
	for _, s := range sources(t) {
		for _, g := range s.file.Comments {
			if m := unfinished.FindString(g.Text()); m != "" {
				t.Errorf("%s: %s", s.fset.Position(g.Pos()), m)
			}
		}
	}
}

// TestOnlyCommandsTouchTheProcess: streams, exit and arguments belong to cmd.
func TestOnlyCommandsTouchTheProcess(t *testing.T) {
	forbidden := map[string]map[string]bool{
		"os":  {"Exit": true, "Stdout": true, "Stderr": true, "Stdin": true, "Args": true},
		"log": nil, // all of it
		"fmt": {"Print": true, "Println": true, "Printf": true},
	}
	for _, s := range sources(t) {
		if s.test() || strings.HasPrefix(s.name, "cmd/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || x.Obj != nil {
				return true
			}
			names, listed := forbidden[x.Name]
			if listed && (names == nil || names[sel.Sel.Name]) {
				t.Errorf("%s: %s.%s outside cmd", s.fset.Position(n.Pos()), x.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

// TestExportedNamesAreDocumented holds for all packages, tests left out.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.generated() {
			continue
		}
		for _, d := range s.file.Decls {
			checkDocumented(t, s, d)
		}
	}
}

func checkDocumented(t *testing.T, s *source, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
			t.Errorf("%s: %s has no comment", s.fset.Position(d.Pos()), d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
				t.Errorf("%s: type %s has no comment", s.fset.Position(ts.Pos()), ts.Name)
			}
		}
	}
}

// exportedReceiver reports whether a function is no method of a hidden type.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return true
	}
	typ := f.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
