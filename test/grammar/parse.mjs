// Reads a JSON list of {name, text}. Writes, a line of JSON each, what the grammar could not
// parse, {name, line, column, kind, text}, and what the scripts use, {name, line, column, use, …}:
//
//   command   command, splat: the names of variables, arguments: [{parameter, bound, values}]
//   function  command, parameters: of its names
//   table     variable, keys: of a table that is assigned
//   type      type
//   attribute type
//   cast      type, values: what is converted, if it is text
//   static    type, member, count: of arguments, -1 for a property
//   method    member, count
//   variable  variable
//   text      what stands between double quotes
//   chain     operator
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

const first = (node, type) => node.namedChildren.find((c) => c.type === type);

const whole = ["string_literal", "type_literal", "hash_literal_expression", "parenthesized_expression"];

// The innermost node of a chain of expressions that have one part each.
function inner(node) {
  while (node.namedChildCount === 1 && !whole.includes(node.type)) {
    node = node.namedChild(0);
  }
  return node;
}

function unquoted(text) {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text.startsWith('"') ? text.slice(1, -1) : text;
}

// The texts of an argument that is a constant or a list of constants; nothing for any other.
function constants(node) {
  if (node.type === "generic_token") {
    return /[$(]/.test(node.text) ? [] : node.text.split(",").filter((part) => part !== "").map(unquoted);
  }
  if (node.type === "array_literal_expression" && node.namedChildCount > 1) {
    const lists = node.namedChildren.map(constants);
    return lists.some((list) => list.length === 0) ? [] : lists.flat();
  }
  const leaf = inner(node);
  if (leaf.type === "string_literal" && !leaf.text.startsWith("@") && !/^".*\$/s.test(leaf.text)) return [unquoted(leaf.text)];
  return leaf.type.endsWith("integer_literal") || leaf.type === "real_literal" ? [leaf.text] : [];
}

function command(node) {
  const splat = [];
  const args = [];
  let open = null; // the parameter whose value may follow
  for (const element of first(node, "command_elements")?.namedChildren ?? []) {
    if (element.type === "command_parameter") {
      open = { parameter: element.text.replace(/^[-–—―]/, ""), bound: false, values: [] };
      args.push(open);
    } else if (element.type === "command_argument_sep") {
      if (open && element.text === ":") open.bound = true;
    } else if (element.type !== "redirection" && element.type !== "stop_parsing") {
      const leaf = inner(element);
      if (leaf.text.startsWith("@") && leaf.type === "variable") splat.push(leaf.text.slice(1));
      const values = constants(element);
      if (open) open.values.push(...values);
      else args.push({ parameter: "", bound: false, values });
      open = null;
    }
  }
  const name = first(node, "command_name")?.text ?? first(first(node, "command_name_expr") ?? node, "command_name")?.text ?? "";
  return { use: "command", command: unquoted(name), splat, arguments: args };
}

function parameters(list) {
  const names = list ? list.namedChildren.filter((c) => c.type === "script_parameter") : [];
  return names.map((p) => first(p, "variable").text.slice(1));
}

function definition(node) {
  const block = first(node, "script_block");
  const declared = first(node, "function_parameter_declaration") ?? (block && first(block, "param_block"));
  return {
    use: "function", command: first(node, "function_name").text,
    parameters: parameters(declared && first(declared, "parameter_list")),
  };
}

function assigned(node) {
  const variable = inner(node.namedChild(0));
  let value = inner(node.namedChildren.at(-1));
  if (value.type === "cast_expression") value = inner(value.namedChild(1));
  if (variable.type !== "variable" || value.type !== "hash_literal_expression") return null;
  const entries = first(value, "hash_literal_body")?.namedChildren.filter((e) => e.type === "hash_entry") ?? [];
  return { use: "table", variable: variable.text.slice(1), keys: entries.map((e) => unquoted(e.namedChild(0).text)) };
}

const spec = (literal) => first(literal, "type_spec").text.replace(/\s/g, "");

function access(node) {
  const [target, name] = node.namedChildren;
  const member = name?.type === "member_name" ? inner(name) : null;
  if (!member || member.type !== "simple_name") return null;
  const list = first(node, "argument_list");
  const count = list ? (first(list, "argument_expression_list")?.namedChildCount ?? 0) : -1;
  if (target.type === "type_literal") return { use: "static", type: spec(target), member: member.text, count };
  return count < 0 ? null : { use: "method", member: member.text, count };
}

function used(node) {
  switch (node.type) {
    case "command":
      return command(node);
    case "function_statement":
      return definition(node);
    case "assignment_expression":
      return assigned(node);
    case "type_literal":
      return { use: "type", type: spec(node) };
    case "attribute_name":
      return { use: "attribute", type: first(node, "type_spec").text };
    case "cast_expression":
      return { use: "cast", type: spec(node.namedChild(0)), values: constants(node.namedChild(1)) };
    case "member_access":
    case "invokation_expression":
      return access(node);
    case "variable":
      return { use: "variable", variable: node.text };
    case "expandable_string_literal":
    case "expandable_here_string_literal":
      return { use: "text", text: node.text };
    case "pipeline_chain_tail":
      return { use: "chain", operator: node.text };
  }
  return null;
}

function visit(node, report) {
  const use = used(node);
  if (use) report(node, use);
  for (const child of node.namedChildren) visit(child, report);
}

let seen = 0;
for (const { name, text } of JSON.parse(readFileSync(0, "utf8"))) {
  const tree = parser.parse(text);
  const place = (node) => ({ name, line: node.startPosition.row + 1, column: node.startPosition.column + 1 });
  const found = [];
  broken(tree.rootNode, found);
  for (const node of found) {
    const kind = node.isMissing ? "MISSING" : "ERROR";
    console.log(JSON.stringify({ ...place(node), kind, text: (node.isMissing ? node.type : node.text).slice(0, 80) }));
  }
  visit(tree.rootNode, (node, use) => console.log(JSON.stringify({ ...place(node), ...use })));
  tree.delete();
  seen++;
}
console.log(JSON.stringify({ seen }));
