// The list of tasks: filtered and put in order as data, shown in portions.

const portion = 100;
const list = document.getElementById("list");
const filter = document.getElementById("filter");
const more = document.getElementById("more");
const chosen = new Set();
let found = [];
let shown = 0;

// haystack is what the text filter looks through, made once a task.
function haystack(t) {
  if (t.text === undefined) {
    const all = [t.a, run.hosts[t.h], t.m, t.s >= 0 ? run.stages[t.s] : ""];
    for (const s of t.steps || []) all.push(s.v);
    for (const v of (t.args || []).concat(t.outs || [])) all.push(v.n, v.v);
    for (const p of t.problems || []) all.push(p.v, p.detail, p.command, p.stdout, p.stderr);
    t.text = all.join("\n").toLowerCase();
  }
  return t.text;
}

function matches(t, want) {
  if (chosen.size && !chosen.has(t.x)) return false;
  if (want.host !== "" && t.h !== Number(want.host)) return false;
  if (want.stage !== "" && t.s !== Number(want.stage)) return false;
  if (want.critical && !t.c) return false;
  return want.words.every((w) => haystack(t).includes(w));
}

function refresh() {
  const f = filter.elements;
  const want = {
    host: f.host.value, stage: f.stage.value, critical: f.critical.checked,
    words: f.text.value.toLowerCase().split(/\s+/).filter(Boolean),
  };
  found = run.tasks.filter((t) => matches(t, want));
  if (f.order.value === "took") found.sort((a, b) => b.d - a.d);
  if (f.order.value === "start") found.sort((a, b) => a.t - b.t);
  const all = run.tasks.length;
  document.getElementById("found").textContent = found.length === all ? all + (all === 1 ? " task" : " tasks") : found.length + " of " + all + " tasks";
  shown = 0;
  list.replaceChildren();
  showMore();
}

function showMore() {
  const next = found.slice(shown, shown + portion);
  list.append(...next.map(row));
  shown += next.length;
  more.hidden = shown >= found.length;
  more.textContent = "Show more (" + (found.length - shown) + ")";
}

// row is a task's line; its details are made when it is opened.
function row(t) {
  const outcome = t.m ? firstLine(t.m) : t.steps ? firstLine(t.steps[0].v) + (t.steps.length > 1 ? " (+" + (t.steps.length - 1) + ")" : "") : "";
  const bad = t.x === "failed" || t.x === "unreachable";
  const chip = make("span", { class: "chip " + t.x }, make("span", { "aria-hidden": "true" }, icons[t.x] + " "), t.x);
  if (t.c) chip.append(make("b", { title: "on the critical path" }, " ◆"));
  const element = make("details", { class: "row", id: "t" + t.i },
    make("summary", {}, chip, make("span", { class: "address" }, t.a), make("span", { class: "host" }, run.hosts[t.h] || ""),
      make("span", { class: "took" }, t.x === "planned" || t.x === "skipped" ? "" : span(t.d)), make("span", { class: bad ? "outcome bad" : "outcome" }, outcome)));
  element.addEventListener("toggle", () => {
    if (element.open && element.children.length === 1) element.append(details(t));
  });
  return element;
}

// openTask shows a task, whatever the filter hides and however far down it is.
function openTask(i) {
  const t = run.tasks[i];
  if (!t) return;
  if (!found.includes(t)) clearFilter();
  while (!document.getElementById("t" + i) && shown < found.length) showMore();
  const element = document.getElementById("t" + i);
  element.open = true;
  element.scrollIntoView({ block: "start" });
  element.firstElementChild.focus({ preventScroll: true });
}

function clearFilter() {
  filter.reset();
  choose();
}

// choose shows only tasks of these statuses; without any, all.
function choose(...statuses) {
  chosen.clear();
  for (const s of statuses) chosen.add(s);
  for (const b of filter.querySelectorAll("[aria-pressed]")) b.setAttribute("aria-pressed", String(chosen.has(b.dataset.status)));
  refresh();
}

function options(select, names) {
  names.map((name, i) => [name, i]).sort((a, b) => select.name === "host" ? a[0].localeCompare(b[0], "en", { numeric: true }) : 0)
    .forEach(([name, i]) => select.append(make("option", { value: String(i) }, name)));
}

function statusButton(status, n) {
  const button = make("button", { type: "button", "aria-pressed": "false", class: status, "data-status": status },
    make("span", { "aria-hidden": "true" }, icons[status] + " "), status + " " + n);
  button.addEventListener("click", () => {
    if (chosen.has(status)) chosen.delete(status); else chosen.add(status);
    choose(...chosen);
  });
  return button;
}

function startTasks() {
  const counts = new Map();
  run.tasks.forEach((t, i) => { t.i = i; counts.set(t.x, (counts.get(t.x) || 0) + 1); });
  const order = Object.keys(icons).filter((s) => counts.has(s));
  filter.querySelector("fieldset").append(...order.map((s) => statusButton(s, counts.get(s))));
  options(filter.elements.host, run.hosts);
  options(filter.elements.stage, run.stages);
  let timer;
  filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(refresh, 120); });
  filter.addEventListener("submit", (e) => e.preventDefault());
  filter.addEventListener("reset", () => setTimeout(choose));
  more.addEventListener("click", showMore);
  if ("IntersectionObserver" in window) {
    new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting) && !more.hidden) showMore(); }, { rootMargin: "400px" }).observe(more);
  }
  filter.hidden = false;
  refresh();
}
