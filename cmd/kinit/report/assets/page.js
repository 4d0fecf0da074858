// Starting, and what leads from one part of the page to another.

function follow() {
  const task = /^#t(\d+)$/.exec(location.hash);
  if (task) openTask(Number(task[1]));
}

function choice(select, name) {
  return [...select.options].find((o) => o.value !== "" && o.textContent === name);
}

document.addEventListener("click", (e) => {
  const link = e.target.closest("a[href^='#t']");
  if (link && link.getAttribute("href") === location.hash) follow(); // no change of the hash, no event
  const to = e.target.closest("[data-status], [data-stage], [data-host]");
  if (to && to.tagName === "A") {
    filter.reset();
    const { status, stage, host } = to.dataset;
    if (stage) (choice(filter.elements.stage, stage) || {}).selected = true;
    if (host) (choice(filter.elements.host, host) || {}).selected = true;
    setTimeout(() => choose(...(status ? [status] : [])));
  }
  const bar = e.target.closest("[data-task]");
  if (bar) location.hash = "#t" + bar.dataset.task;
});

if (run.tasks.length) {
  startTasks();
  whenSeen(document.getElementById("chart"), () => startTimeline(document.getElementById("chart")));
  whenSeen(document.getElementById("drawing"), () => startGraph(document.getElementById("drawing")));
  window.addEventListener("hashchange", follow);
  follow();
}
