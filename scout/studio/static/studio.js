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
  for (const part of root.querySelectorAll("[data-poll]")) setTimeout(() => refresh(part), Number(part.dataset.every || 700));
}
watch(document);
