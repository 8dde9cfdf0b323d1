// The studio's own script: keys, the parts of a page that change by themselves, and the talk with the frame of a kept page.
"use strict";

const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]") !== null;

function moveRow(step) {
  const links = [...document.querySelectorAll(".rows tbody .lead a, [data-row]")];
  if (!links.length) return;
  const here = links.indexOf(document.activeElement);
  const next = links[Math.min(links.length - 1, Math.max(0, here < 0 ? 0 : here + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

let before = "";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const key = event.key, pair = before + key;
  before = key === "g" ? "g" : "";
  const own = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key && !one.disabled);
  if (pair === "gs") location.href = "/";
  else if (pair === "go") location.href = "/offers";
  else if (key === "/") document.querySelector("[data-search]")?.focus();
  else if (key === "?") document.getElementById("keys").showModal();
  else if (own) own.click();
  else if (key === "j") moveRow(1);
  else if (key === "k") moveRow(-1);
  else return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
});
document.addEventListener("change", (event) => {
  if (event.target.matches(".filters select, [data-apply]")) event.target.form.requestSubmit();
});

// A part that changes by itself: asked for again while the server says that there is more to come.
async function refresh(part) {
  try {
    const answer = await fetch(part.dataset.poll, { headers: { "x-fragment": "1" } });
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
    const focused = part.contains(document.activeElement) && document.activeElement.id;
    part.replaceWith(made);
    if (focused) document.getElementById(focused)?.focus();
    watch(made.parentElement);
  } catch { setTimeout(() => refresh(part), 3000); }
}
function watch(root) {
  if (root.querySelector("[data-reload]")) location.reload();
  for (const part of root.querySelectorAll("[data-poll]")) setTimeout(() => refresh(part), Number(part.dataset.every || 700));
}
watch(document);

// The page and its values: what is lit in one is lit in the other. The frame's origin is opaque, so it is known by its window alone.
const frame = document.getElementById("frame");
if (frame) {
  const light = (field, scroll) => frame.contentWindow.postMessage({ scout: true, kind: "light", field, scroll }, "*");
  const rows = () => document.querySelectorAll("[data-field]");
  const hear = {
    hover: ({ fields }) => { for (const row of rows()) row.classList.toggle("lit", Array.isArray(fields) && fields.includes(row.dataset.field)); },
    at: ({ text }) => { const place = document.getElementById("at"); if (place) place.textContent = String(text).slice(0, 200); },
    leave: () => { document.getElementById("main").focus(); },
    pick: ({ number, part }) => {
      if (!Number.isInteger(number) || !frame.dataset.picking) return;
      const to = new URL(location.href);
      to.search = new URLSearchParams({ pick: frame.dataset.picking, n: number, ...(part ? { part: String(part).slice(0, 2000) } : {}) });
      location.href = to;
    },
    ready: () => {},
  };
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.data?.scout !== true) return;
    if (Object.hasOwn(hear, event.data.kind)) hear[event.data.kind](event.data);
  });
  for (const row of rows()) {
    row.addEventListener("mouseenter", () => light(row.dataset.field, false));
    row.addEventListener("mouseleave", () => light("", false));
    row.addEventListener("focusin", () => light(row.dataset.field, false));
  }
  document.addEventListener("click", (event) => {
    const shower = event.target.closest("[data-light]");
    if (shower) light(shower.dataset.light, true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "f" && !isTyping(event.target) && !event.ctrlKey && !event.metaKey) { frame.focus(); event.preventDefault(); }
  });
}
