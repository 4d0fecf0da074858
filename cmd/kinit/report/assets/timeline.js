// The time line: a lane for every task that is at work at the same time, host by
// host. Positions are percent, so that it fits any width.

const laneHeight = 16;
const nameHeight = 20;

// lanes puts the tasks of a host into as few lanes as have room for them.
function lanes(tasks) {
  const ends = [];
  const placed = [];
  for (const t of tasks.slice().sort((a, b) => a.t - b.t)) {
    let lane = ends.findIndex((end) => end <= t.t);
    if (lane < 0) lane = ends.length;
    ends[lane] = t.t + Math.max(t.d, 1);
    placed.push([t, lane]);
  }
  return { placed, count: ends.length };
}

// tickEvery is a round step of time that gives at most ten ticks.
function tickEvery(length) {
  const steps = [100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000, 7200000];
  return steps.find((s) => length / s <= 6) || 14400000;
}

function startTimeline(into) {
  const ran = run.tasks.filter((t) => t.x !== "skipped" && t.x !== "planned");
  if (!ran.length) return into.append(make("p", { class: "note" }, "No task ran."));
  const length = Math.max(1, run.length, ...ran.map((t) => t.t + t.d));
  const svg = draw("svg", { width: "100%", role: "img", "aria-label": ran.length + " tasks over " + span(length) + ". The tasks that took the time are listed above, all tasks below." });
  const ticks = draw("g", { class: "tick" });
  svg.append(ticks);
  let y = 20;
  run.hosts.forEach((host, h) => {
    const mine = ran.filter((t) => t.h === h);
    if (!mine.length) return;
    const { placed, count } = lanes(mine);
    svg.append(draw("text", { class: "lane-name", x: "4", y: y + 14 }, host));
    y += nameHeight;
    for (const [t, lane] of placed) svg.append(bar(t, y + lane * laneHeight, length));
    y += count * laneHeight + 4;
  });
  svg.setAttribute("height", String(y + 4));
  const every = tickEvery(length);
  for (let at = 0; at <= length; at += every) {
    const x = (at / length * 100).toFixed(3) + "%";
    ticks.append(draw("line", { x1: x, x2: x, y1: "0", y2: String(y + 4) }), draw("text", { x, y: "13", dx: "3" }, at === 0 ? "0" : span(at).replace(/\.0s$/, "s").replace(/m00s$/, "m")));
  }
  const statuses = Object.keys(icons).filter((s) => ran.some((t) => t.x === s));
  const scroll = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Time line" }, svg);
  into.append(make("div", { class: "tools" }, ...zoom(svg, scroll), ...legend(statuses, ran.some((t) => t.c))), scroll);
}

function bar(t, y, length) {
  const rect = draw("rect", {
    class: "task-bar " + t.x + (t.c ? " critical" : ""), x: (t.t / length * 100).toFixed(3) + "%", y: String(y),
    width: Math.max(0.15, t.d / length * 100).toFixed(3) + "%", height: String(laneHeight - 4), rx: "2", "data-task": String(t.i),
  });
  rect.append(draw("title", {}, t.a + " on " + run.hosts[t.h] + ", " + t.x + ", " + span(t.d)));
  return rect;
}

function zoom(svg, scroll) {
  let factor = 1;
  const set = (to) => {
    const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth;
    factor = Math.min(64, Math.max(1, to));
    svg.setAttribute("width", factor * 100 + "%");
    scroll.scrollLeft = middle * scroll.scrollWidth - scroll.clientWidth / 2;
  };
  const wider = make("button", { type: "button" }, "Zoom in");
  const narrower = make("button", { type: "button" }, "Zoom out");
  wider.addEventListener("click", () => set(factor * 2));
  narrower.addEventListener("click", () => set(factor / 2));
  return [wider, narrower];
}
