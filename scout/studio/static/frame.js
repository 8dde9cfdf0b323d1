// Runs in the sandboxed frame of a kept page: marks light up, places are pointed at. It knows numbers of elements and names of fields, nothing else.
"use strict";

const say = (message) => parent.postMessage({ scout: true, ...message }, "*");
const numbered = (node) => (node instanceof Element ? node : node?.parentElement)?.closest("[data-scout]") || null;
const byNumber = (number) => document.querySelector(`[data-scout="${Number(number)}"]`);
const picking = Boolean(STATE.pick);
let at = null;

function light(field, scroll) {
  for (const one of document.querySelectorAll("[data-scout-lit]")) one.removeAttribute("data-scout-lit");
  const found = [...document.querySelectorAll("[data-scout-fields]")].filter((one) => one.dataset.scoutFields.split(" ").includes(field));
  const shown = found.filter((one) => one.dataset.scoutRole !== "rival");
  for (const one of shown) one.setAttribute("data-scout-lit", "");
  if (scroll && (shown[0] || found[0])) (shown[0] || found[0]).scrollIntoView({ block: "center" });
}

function describe(element) {
  const text = element.textContent.trim().replace(/\s+/g, " ");
  return `${element.dataset.scoutTag || element.tagName.toLowerCase()}: ${text.length > 80 ? text.slice(0, 80) + "…" : text || "no text"}`;
}

function go(element, scroll) {
  if (!element) return;
  at?.removeAttribute("data-scout-at");
  at = element;
  at.setAttribute("data-scout-at", "");
  if (scroll) at.scrollIntoView({ block: "nearest" });
  say({ kind: "at", text: describe(at) });
}

function take(element, part) {
  if (element) say({ kind: "pick", number: Number(element.dataset.scout), part: part || "" });
}

function sibling(element, way) {
  let next = element[way];
  while (next && !next.hasAttribute("data-scout")) next = next[way];
  return next;
}

addEventListener("DOMContentLoaded", () => {
  if (picking) document.body.dataset.scoutPicking = "";
  if (STATE.number !== null) go(byNumber(STATE.number), true);
  else if (STATE.field) light(STATE.field, true);
  else document.querySelector("[data-scout-role=value]")?.scrollIntoView({ block: "center" });
  say({ kind: "ready" });
});

addEventListener("mouseover", (event) => {
  const marked = event.target.closest?.("[data-scout-fields]");
  say({ kind: "hover", fields: marked ? marked.dataset.scoutFields.split(" ") : [] });
  if (picking) go(numbered(event.target), false);
});

addEventListener("click", (event) => {
  event.preventDefault();
  event.stopPropagation();
  if (!picking) return;
  const chosen = getSelection();
  const part = chosen && !chosen.isCollapsed ? chosen.toString().trim() : "";
  take(numbered(part ? chosen.getRangeAt(0).commonAncestorContainer : event.target), part);
}, true);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") say({ kind: "leave" });
  else if (event.key === "Enter" && picking && at) take(at, "");
  else if (picking && event.key.startsWith("Arrow")) {
    const here = at || document.querySelector("[data-scout-role=value]") || numbered(document.body.firstElementChild);
    const steps = {
      ArrowUp: here?.parentElement?.closest("[data-scout]"),
      ArrowDown: here?.querySelector("[data-scout]"),
      ArrowLeft: here && sibling(here, "previousElementSibling"),
      ArrowRight: here && sibling(here, "nextElementSibling"),
    };
    go(at ? steps[event.key] : here, true);
  } else return;
  event.preventDefault();
});

addEventListener("message", (event) => {
  if (event.source !== parent || event.data?.scout !== true) return;
  if (event.data.kind === "light") light(String(event.data.field), Boolean(event.data.scroll));
});
