"use strict";
// Filters the rows of the page's list. Without it, all of them stand there.

const filter = document.getElementById("filter");
if (filter) {
  const rows = [...document.querySelectorAll("tbody tr[data-word]")];
  const found = document.getElementById("found");
  const buttons = [...filter.querySelectorAll("[data-word]")];
  const words = new Map(rows.map((row) => [row, (row.textContent + " " + (row.dataset.text || "")).toLowerCase()]));

  const apply = () => {
    const text = filter.elements.text.value.trim().toLowerCase();
    const chosen = buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.word);
    let shown = 0;
    for (const row of rows) {
      const fits = words.get(row).includes(text) && (chosen.length === 0 || chosen.includes(row.dataset.word));
      row.hidden = !fits;
      if (fits) shown++;
    }
    found.textContent = shown === rows.length ? "" : shown + " of " + rows.length + " on this page";
  };

  filter.hidden = false;
  filter.addEventListener("submit", (e) => e.preventDefault());
  filter.addEventListener("input", apply);
  filter.addEventListener("reset", () => {
    buttons.forEach((b) => b.setAttribute("aria-pressed", "false"));
    setTimeout(apply);
  });
  buttons.forEach((b) => b.addEventListener("click", () => {
    b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
    apply();
  }));
}
