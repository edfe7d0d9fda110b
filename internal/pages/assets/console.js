"use strict";
// What makes the pages quicker. Everything here also works without a script, by a form.
document.documentElement.classList.add("scripted");

const toast = document.querySelector(".toast");
let toastTimer = 0;

// say shows a sentence for a few seconds; screen readers read it out.
function say(sentence) {
  toast.textContent = sentence;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, 4000);
}

// call sends a request to the API as the person who is signed in, and returns its data. It throws an Error with a sentence for people.
async function call(method, path, body) {
  const answer = await fetch("/api/v1" + path, {
    method, headers: body ? {"Content-Type": "application/json"} : {}, body: body && JSON.stringify(body), credentials: "same-origin",
  });
  if (answer.status === 401) location.reload();
  const content = await answer.json();
  if (!content.success) {
    const first = content.details && content.details[0];
    throw new Error(first ? first.field + " " + first.message : content.error);
  }
  return content.data;
}

// The board: cards move by dragging, by their menu, and by Alt with the arrow keys.
function countOf(column, change) {
  const count = column.querySelector("[data-count]");
  if (count) count.textContent = String(Number(count.textContent) + change);
}

async function moveCard(card, column) {
  const from = card.closest(".column");
  if (from === column) return;
  const place = card.nextElementSibling;
  const put = (target, before, menu) => {
    target.querySelector(".cards").insertBefore(card, before);
    card.querySelector("select").value = menu.dataset.status;
  };
  put(column, column.querySelector(".card"), column);
  countOf(from, -1);
  countOf(column, 1);
  const status = column.dataset.status;
  try {
    await call("PATCH", "/companies/" + card.dataset.company, {company_status_id: status === "no_status" ? null : status});
    say(card.querySelector(".title").textContent + " is in " + column.querySelector("h2 span:not(.dot)").textContent);
  } catch (failure) {
    put(from, place, from);
    countOf(from, 1);
    countOf(column, -1);
    say("Not moved: " + failure.message);
  }
}

function startBoard(board) {
  let held = null;
  board.addEventListener("dragstart", (event) => {
    held = event.target.closest(".card");
    if (held) { held.classList.add("held"); event.dataTransfer.effectAllowed = "move"; }
  });
  board.addEventListener("dragend", () => {
    if (held) held.classList.remove("held");
    board.querySelectorAll(".over").forEach((column) => column.classList.remove("over"));
    held = null;
  });
  board.addEventListener("dragover", (event) => {
    const column = event.target.closest(".column");
    if (!held || !column) return;
    event.preventDefault();
    board.querySelectorAll(".over").forEach((other) => other !== column && other.classList.remove("over"));
    column.classList.add("over");
  });
  board.addEventListener("drop", (event) => {
    const column = event.target.closest(".column");
    if (held && column) { event.preventDefault(); moveCard(held, column); }
  });
  board.addEventListener("change", (event) => {
    const card = event.target.closest(".card");
    if (card && event.target.name === "status") moveCard(card, board.querySelector('[data-status="' + event.target.value + '"]'));
  });
  board.addEventListener("keydown", (event) => {
    const card = event.target.closest(".card");
    if (!card || event.target.matches("select")) return;
    const column = card.closest(".column");
    const aside = {ArrowRight: column.nextElementSibling, ArrowLeft: column.previousElementSibling}[event.key];
    const beside = {ArrowDown: card.nextElementSibling, ArrowUp: card.previousElementSibling}[event.key];
    if (event.altKey && aside) {
      event.preventDefault();
      moveCard(card, aside).then(() => card.querySelector(".title").focus());
    } else if (beside || aside) {
      const next = beside || aside.querySelector(".card");
      if (next) { event.preventDefault(); next.querySelector(".title").focus(); }
    }
  });
}

const board = document.querySelector("[data-board]");
if (board) startBoard(board);

// Menus close when the focus or a click leaves them.
document.addEventListener("click", (event) => {
  document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
  if (event.key === "/" && !event.target.matches("input, textarea, select")) { event.preventDefault(); document.querySelector(".find input")?.focus(); }
});

// A link is copied where the browser allows it, which is on https and on this very computer; else it is selected.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = button.parentElement.querySelector("input");
  try {
    await navigator.clipboard.writeText(field.value);
    say("Copied");
  } catch { field.select(); say("Press Ctrl and C to copy"); }
});
