// Reads a JSON list of {name, text} and writes, a line of JSON each, what the grammar
// could not parse: {name, line, column, kind, text}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Parser, Language } from "web-tree-sitter";

const require = createRequire(import.meta.url);
await Parser.init();
const grammar = require.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
const parser = new Parser();
parser.setLanguage(await Language.load(grammar));

function broken(node, found) {
  if (node.isError || node.isMissing) {
    found.push(node);
    return;
  }
  if (!node.hasError) return;
  for (const child of node.children) broken(child, found);
}

let seen = 0;
for (const { name, text } of JSON.parse(readFileSync(0, "utf8"))) {
  const tree = parser.parse(text);
  const found = [];
  broken(tree.rootNode, found);
  for (const node of found) {
    console.log(JSON.stringify({
      name,
      line: node.startPosition.row + 1,
      column: node.startPosition.column + 1,
      kind: node.isMissing ? "MISSING" : "ERROR",
      text: (node.isMissing ? node.type : node.text).slice(0, 80),
    }));
  }
  tree.delete();
  seen++;
}
console.log(JSON.stringify({ seen }));
