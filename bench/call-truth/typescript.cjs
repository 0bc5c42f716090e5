// The calls of a TypeScript or JavaScript project by the compiler: `node typescript.cjs FOLDER`, with the package `typescript` installed.
// One line for each call whose target is in the project: FILE:LINE of the call's name, FILE:LINE of the target's name; of an overloaded
// function, all its declarations with commas.
const ts = require('typescript');
const path = require('path');

const root = path.resolve(process.argv[2]);
const skip = new Set(['node_modules', 'dist', 'build', 'coverage', 'vendor']);
const files = ts.sys
  .readDirectory(root, ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs'], undefined, undefined)
  .filter((file) => !path.relative(root, file).split('/').some((part) => skip.has(part) || part.startsWith('.')))
  .filter((file) => !file.endsWith('.d.ts'));
const program = ts.createProgram(files, {
  allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, allowImportingTsExtensions: true,
  experimentalDecorators: true, types: [],
});
const checker = program.getTypeChecker();
const wanted = new Set(files.map((file) => path.normalize(file)));

function place(node) {
  const file = node.getSourceFile();
  const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  return `${path.relative(root, file.fileName)}:${line}`;
}

function target(declaration) {
  if (!declaration || !wanted.has(path.normalize(declaration.getSourceFile().fileName))) return undefined;
  let named = declaration;
  // A function that is a value is known by what it is assigned to.
  while (named && !named.name && ts.isExpression(named) && named.parent) {
    named = named.parent;
    if (ts.isVariableDeclaration(named) || ts.isPropertyAssignment(named) || ts.isPropertyDeclaration(named)) break;
    if (ts.isBinaryExpression(named) && named.operatorToken.kind === ts.SyntaxKind.EqualsToken) return place(named.left);
    if (ts.isCallExpression(named) || ts.isBlock(named)) return undefined;
  }
  if (ts.isConstructorDeclaration(declaration)) return place(declaration);
  const symbol = declaration.symbol;
  if (symbol && symbol.declarations && symbol.declarations.length > 1 && named === declaration) {
    return symbol.declarations.filter((one) => one.name).map((one) => place(one.name)).join(',');
  }
  // A signature of a type, a parameter: no function of the project.
  if (ts.isFunctionTypeNode(declaration) || ts.isCallSignatureDeclaration(declaration)) return undefined;
  return named.name ? place(named.name) : undefined;
}

for (const source of program.getSourceFiles()) {
  if (!wanted.has(path.normalize(source.fileName))) continue;
  const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      let name = node.expression;
      if (ts.isPropertyAccessExpression(name)) name = name.name;
      const signature = checker.getResolvedSignature(node);
      let to = target(signature && signature.declaration);
      if (ts.isNewExpression(node) && signature && (!signature.declaration || !to)) {
        let symbol = checker.getSymbolAtLocation(node.expression);
        if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
        const declared = symbol && symbol.valueDeclaration;
        if (declared && ts.isClassLike(declared)) to = target(declared);
      }
      if (to) console.log(`${place(name)}\t${to}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
