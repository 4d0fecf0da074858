// The graph: layers from left to right. A large one shows its stages first, and
// the tasks of the one that is chosen.

const nodeWidth = 230;
const nodeHeight = 28;
const gapX = 60;
const gapY = 12;

function startGraph(into) {
  if (!run.scenes.length) return into.append(make("p", { class: "note" }, "There are no tasks."));
  const select = make("select", {});
  run.scenes.forEach((s, i) => select.append(make("option", { value: String(i) }, s.title)));
  const place = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Graph" });
  const show = (i) => {
    select.value = String(i);
    place.replaceChildren(drawing(run.scenes[i], show));
    place.scrollTo(0, 0);
  };
  select.addEventListener("change", () => show(Number(select.value)));
  const statuses = Object.keys(icons).filter((s) => run.tasks.some((t) => t.x === s));
  const tools = make("div", { class: "tools" }, ...legend(statuses, run.tasks.some((t) => t.c)));
  if (run.scenes.length > 1) tools.prepend(make("label", {}, "Show ", select));
  into.append(tools, place);
  show(0);
}

function drawing(scene, show) {
  const width = Math.max(...scene.nodes.map((n) => n.x)) + 1;
  const height = Math.max(...scene.nodes.map((n) => n.y)) + 1;
  const svg = draw("svg", {
    width: String(width * (nodeWidth + gapX) - gapX + 24), height: String(height * (nodeHeight + gapY) + 12),
    role: "group", "aria-label": scene.title + ": " + scene.nodes.length + " nodes",
  });
  for (const [from, to] of scene.edges) svg.append(edge(scene.nodes[from], scene.nodes[to]));
  svg.append(...scene.nodes.map((n) => nodeOf(n, show)));
  return svg;
}

const left = (n) => 12 + n.x * (nodeWidth + gapX);
const top_ = (n) => 12 + n.y * (nodeHeight + gapY);

function edge(a, b) {
  const x1 = left(a) + nodeWidth, y1 = top_(a) + nodeHeight / 2, x2 = left(b), y2 = top_(b) + nodeHeight / 2;
  const bend = Math.min(120, Math.max(30, (x2 - x1) / 2));
  return draw("path", { class: "edge", d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
}

function nodeOf(n, show) {
  const critical = n.tasks.some((i) => run.tasks[i].c);
  const group = draw("g", { class: "node " + n.s + (critical ? " critical" : ""), transform: `translate(${left(n)} ${top_(n)})`, role: "button", tabindex: "0", "aria-label": n.v + ", " + n.s },
    draw("rect", { width: String(nodeWidth), height: String(nodeHeight), rx: "5" }),
    draw("rect", { class: "side", width: "7", height: String(nodeHeight), rx: "3" }),
    draw("text", { x: "14", y: "18" }, short(n.v)),
    draw("title", {}, n.v + ", " + n.s));
  const go = () => {
    if (n.go) return show(n.go);
    if (n.tasks.length === 1) return void (location.hash = "#t" + n.tasks[0]);
    clearFilter();
    filter.elements.text.value = n.v.replace(/ \(\d+\)$/, "");
    refresh();
    document.getElementById("tasks").focus();
  };
  group.addEventListener("click", go);
  // It acts when the key is let go, because it moves the focus, and the rest of the
  // stroke would reach whatever has it then.
  let pressed = false;
  group.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pressed = true; } });
  group.addEventListener("keyup", (e) => { if (pressed && (e.key === "Enter" || e.key === " ")) { pressed = false; go(); } });
  return group;
}

// short keeps the end of a name, which tells instances apart.
function short(text) {
  const bare = text.replace(/^task\./, "");
  return bare.length > 29 ? bare.slice(0, 11) + "…" + bare.slice(-17) : bare;
}
