// The calls of a Go module by the type checker of its standard library: `go run . FOLDER` prints one line for each call whose target is in
// the folder: FILE:LINE of the call's name, FILE:LINE of the target's name. Packages from elsewhere are taken as unknown.
package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type project struct {
	root, module string
	set          *token.FileSet
	standard     types.Importer
	checked      map[string]*types.Package
	calls        []string
}

func (p *project) Import(name string) (*types.Package, error) {
	if name == p.module || strings.HasPrefix(name, p.module+"/") {
		return p.check(strings.TrimPrefix(strings.TrimPrefix(name, p.module), "/"))
	}
	if strings.Contains(strings.Split(name, "/")[0], ".") {
		return nil, fmt.Errorf("not here: %s", name)
	}
	return p.standard.Import(name)
}

func (p *project) place(at token.Pos) string {
	position := p.set.Position(at)
	inside, err := filepath.Rel(p.root, position.Filename)
	if err != nil || strings.HasPrefix(inside, "..") {
		return ""
	}
	return fmt.Sprintf("%s:%d", inside, position.Line)
}

func (p *project) check(folder string) (*types.Package, error) {
	if done, ok := p.checked[folder]; ok {
		return done, nil
	}
	dir := filepath.Join(p.root, folder)
	packages, _ := parser.ParseDir(p.set, dir, func(info os.FileInfo) bool {
		return !strings.HasSuffix(info.Name(), "_test.go")
	}, parser.SkipObjectResolution)
	for name, parsed := range packages {
		if name == "main" && len(packages) > 1 || strings.HasSuffix(name, "_test") {
			continue
		}
		var files []*ast.File
		for path, file := range parsed.Files {
			if !elsewhere(path, file) {
				files = append(files, file)
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		config := types.Config{Importer: p, Error: func(error) {}, FakeImportC: true}
		made, _ := config.Check(folder, p.set, files, info)
		p.checked[folder] = made
		for _, file := range files {
			ast.Inspect(file, func(node ast.Node) bool { return p.call(node, info) })
		}
		return made, nil
	}
	return nil, fmt.Errorf("no package in %s", dir)
}

// elsewhere tells files of other systems by their names.
func elsewhere(path string, _ *ast.File) bool {
	for _, system := range []string{"_windows", "_darwin", "_plan9", "_js", "_wasm", "_freebsd", "_openbsd", "_netbsd", "_solaris", "_aix", "_arm64", "_arm"} {
		if strings.HasSuffix(strings.TrimSuffix(path, ".go"), system) {
			return true
		}
	}
	return false
}

func (p *project) call(node ast.Node, info *types.Info) bool {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return true
	}
	function := unparen(call.Fun)
	switch generic := function.(type) {
	case *ast.IndexExpr:
		function = generic.X
	case *ast.IndexListExpr:
		function = generic.X
	}
	var name *ast.Ident
	switch of := function.(type) {
	case *ast.Ident:
		name = of
	case *ast.SelectorExpr:
		name = of.Sel
	default:
		return true
	}
	if target, ok := info.Uses[name].(*types.Func); ok {
		if generic := target.Origin(); generic != nil {
			target = generic
		}
		if to := p.place(target.Pos()); to != "" && p.place(name.Pos()) != "" {
			p.calls = append(p.calls, p.place(name.Pos())+"\t"+to)
		}
	}
	return true
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	set := token.NewFileSet()
	p := &project{root: root, set: set, standard: importer.ForCompiler(set, "source", nil), checked: map[string]*types.Package{}}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			p.module = strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
	}
	_ = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() {
			return nil
		}
		if name := info.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "vendor") {
			return filepath.SkipDir
		}
		inside, _ := filepath.Rel(root, path)
		if inside == "." {
			inside = ""
		}
		_, _ = p.check(inside)
		return nil
	})
	for _, line := range p.calls {
		fmt.Println(line)
	}
}

func unparen(of ast.Expr) ast.Expr {
	for {
		inner, ok := of.(*ast.ParenExpr)
		if !ok {
			return of
		}
		of = inner.X
	}
}
