"use strict";
// Texts of a run become text nodes and attributes, never markup.

const run = JSON.parse(document.getElementById("data").textContent);

const icons = { ok: "✓", changed: "●", failed: "✕", unreachable: "⚠", skipped: "↷", unfinished: "…", planned: "·" };

// make makes an element with attributes and children, which are texts or elements.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((c) => c !== undefined && c !== null));
  return element;
}

// draw is make for SVG.
function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// span shows milliseconds as the terminal does.
function span(ms) {
  const s = ms / 1000;
  if (s < 59.95) return s.toFixed(1) + "s";
  const whole = Math.round(s);
  if (whole < 3600) return Math.floor(whole / 60) + "m" + String(whole % 60).padStart(2, "0") + "s";
  const minutes = Math.round(whole / 60);
  return Math.floor(minutes / 60) + "h" + String(minutes % 60).padStart(2, "0") + "m";
}

function firstLine(text) {
  return (text || "").split("\n", 1)[0];
}

// whenSeen calls a function once, when an element is about to be seen.
function whenSeen(element, call) {
  if (!element) return;
  if (!("IntersectionObserver" in window)) return call();
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    call();
  }, { rootMargin: "600px" });
  observer.observe(element);
}

// legend explains the colours that a drawing has.
function legend(statuses, withPath) {
  const items = statuses.map((s) => make("span", { class: "key " + s }, make("i", { "aria-hidden": "true" }), s));
  if (withPath) items.push(make("span", { class: "key path" }, make("i", { "aria-hidden": "true" }), "critical path"));
  return items;
}
