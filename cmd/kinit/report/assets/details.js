// What is known of one task, made when it is opened.

function details(t) {
  const parts = [];
  for (const p of t.problems || []) parts.push(problem(p));
  if (t.m && !(t.problems || []).length) parts.push(part("Message", make("pre", {}, t.m)));
  if (t.steps) parts.push(part(t.x === "failed" ? "Steps" : "What changed", ...t.steps.map(step)));
  if (t.tries) {
    parts.push(part("Attempts that failed", make("ul", {}, ...t.tries.map((a) => make("li", {}, "attempt " + a.n + ", at " + span(a.t) + ": " + a.v)))));
  }
  if (t.args) parts.push(part("Arguments", facts(t.args)));
  if (t.outs) parts.push(part("Outputs", facts(t.outs)));
  if (t.b >= 0 && run.blocks[t.b] && run.blocks[t.b].text) parts.push(part("Asked for by " + run.blocks[t.b].file + ":" + run.blocks[t.b].line, source(run.blocks[t.b])));
  parts.push(part("Place in the run", facts(place(t))));
  return make("div", { class: "body" }, ...parts);
}

function part(title, ...children) {
  return make("div", {}, make("h4", {}, title), ...children);
}

function facts(values) {
  return make("dl", { class: "facts" }, ...values.map((v) =>
    make("div", {}, make("dt", {}, v.n), make("dd", {}, v.e || v.v, v.cut ? " … (" + v.cut + " bytes more)" : ""))));
}

function place(t) {
  const out = [{ n: "Host", v: run.hosts[t.h] || "" }];
  if (t.s >= 0) out.push({ n: "Stage", v: run.stages[t.s] });
  if (t.p) out.push({ n: "Done", v: t.p === "always" ? "always, at the end" : "after a failure" });
  if (t.x !== "planned") out.push({ n: "Time", v: "started at " + span(t.t) + ", took " + span(t.d) });
  const needs = [...new Set((t.n || []).concat(...(t.w || []).map((i) => run.sets[i])))];
  if (needs.length) {
    const links = needs.slice(0, 30).flatMap((i) => [make("a", { href: "#t" + i }, run.tasks[i].a), " "]);
    if (needs.length > 30) links.push("and " + (needs.length - 30) + " more");
    out.push({ n: "Waited for", e: make("span", {}, ...links) });
  }
  return out;
}

function problem(p) {
  const children = [make("h3", {}, p.v)];
  if (p.detail) children.push(make("p", { class: "detail" }, p.detail));
  if (p.command) children.push(make("p", { class: "label" }, "Command, which ended with code " + p.code), make("pre", { class: "command" }, p.command));
  if (p.stderr) children.push(make("p", { class: "label" }, "Standard error"), make("pre", { class: "stderr", tabindex: "0" }, p.stderr));
  if (p.stdout) children.push(make("p", { class: "label" }, "Standard output"), make("pre", { tabindex: "0" }, p.stdout));
  return make("article", { class: "problem" }, ...children);
}

// step shows a step with its diff in colours.
function step(s) {
  const [head, ...rest] = s.v.replace(/\n+$/, "").split("\n");
  const pre = make("pre", s.open ? { class: "open-step" } : {}, s.open ? head + " (begun, not done)" : head);
  for (const line of rest) {
    const bare = line.trimStart();
    const kind = bare.startsWith("+") ? "plus" : bare.startsWith("-") ? "minus" : bare.startsWith("@@") ? "hunk" : "";
    pre.append("\n", kind ? make("span", { class: kind }, line) : line);
  }
  return pre;
}

function source(block) {
  return make("pre", { class: "hcl", tabindex: "0" }, ...block.text.split("\n").map((line, i) =>
    make("code", {}, make("span", { class: "ln" }, String(block.line + i)), line + "\n")));
}
