"use strict";
// The board: cards are moved by dragging with a mouse or a finger, by their menu, and by Alt with the arrow keys. More cards of a column are loaded when its end is scrolled to.
const board = document.querySelector("[data-board]");
const columns = () => [...board.querySelectorAll(".column")];
const nameOf = (column) => column.querySelector("h2 span:not(.dot)").textContent;

function countOf(column, change) {
  const count = column.querySelector("[data-count]");
  if (!count) return;
  count.dataset.count = Number(count.dataset.count) + change;
  count.textContent = Number(count.dataset.count).toLocaleString("en");
}

async function moveCard(card, column) {
  const from = card.closest(".column");
  if (from === column) return;
  const place = card.nextElementSibling, name = card.querySelector(".title").textContent;
  const cards = column.querySelector(".cards");
  cards.insertBefore(card, cards.firstElementChild);
  countOf(from, -1);
  countOf(column, 1);
  const status = column.dataset.status;
  try {
    await call("PATCH", "/companies/" + card.dataset.company, {company_status_id: status === "no_status" ? null : status});
    say(name + " is in " + nameOf(column));
  } catch (failure) {
    from.querySelector(".cards").insertBefore(card, place && place.parentElement === from.querySelector(".cards") ? place : null);
    countOf(from, 1);
    countOf(column, -1);
    say("Not moved: " + failure.message);
  }
}

function mark(column) {
  board.querySelectorAll(".over").forEach((other) => other !== column && other.classList.remove("over"));
  if (column) column.classList.add("over");
}

// Dragging with a mouse.
let held = null;
board.addEventListener("dragstart", (event) => {
  held = event.target.closest(".card");
  if (held) { held.classList.add("held"); event.dataTransfer.effectAllowed = "move"; }
});
board.addEventListener("dragend", () => {
  if (held) held.classList.remove("held");
  mark(null);
  held = null;
});
board.addEventListener("dragover", (event) => {
  const column = event.target.closest(".column");
  if (!held || !column) return;
  event.preventDefault();
  mark(column);
});
board.addEventListener("drop", (event) => {
  const column = event.target.closest(".column");
  if (held && column) { event.preventDefault(); moveCard(held, column); }
});

// Dragging with a finger begins after it has rested on a card for a moment. A finger that moves at once scrolls.
const rest = 350, slack = 10, edge = 48;
let touch = null;

function dragTo(x, y) {
  touch.x = x;
  touch.ghost.style.transform = "translate(" + (x - touch.dx) + "px," + (y - touch.dy) + "px)";
  const under = document.elementFromPoint(x, y);
  touch.column = under && under.closest(".column");
  mark(touch.column);
}

function scrollAside() {
  if (!touch || !touch.ghost) return;
  const area = board.getBoundingClientRect();
  const step = touch.x < area.left + edge ? -12 : touch.x > area.right - edge ? 12 : 0;
  board.scrollLeft += step;
  requestAnimationFrame(scrollAside);
}

function lift() {
  const card = touch.card, area = card.getBoundingClientRect();
  touch.ghost = card.cloneNode(true);
  touch.ghost.classList.add("ghost");
  touch.ghost.removeAttribute("data-company");
  touch.ghost.style.width = area.width + "px";
  touch.dx = touch.x - area.left;
  touch.dy = touch.y - area.top;
  document.body.append(touch.ghost);
  card.classList.add("held");
  board.classList.add("dragging");
  dragTo(touch.x, touch.y);
  scrollAside();
}

function letGo() {
  if (!touch) return;
  clearTimeout(touch.timer);
  if (touch.ghost) {
    touch.ghost.remove();
    touch.card.classList.remove("held");
    board.classList.remove("dragging");
    mark(null);
  }
  touch = null;
}

board.addEventListener("touchstart", (event) => {
  const card = event.target.closest(".card");
  letGo();
  if (!card || event.touches.length > 1 || event.target.closest(".to")) return;
  const at = event.touches[0];
  touch = {card, x: at.clientX, y: at.clientY, timer: setTimeout(lift, rest)};
}, {passive: true});
board.addEventListener("touchmove", (event) => {
  if (!touch) return;
  const at = event.touches[0];
  if (touch.ghost) {
    event.preventDefault();
    dragTo(at.clientX, at.clientY);
  } else if (Math.hypot(at.clientX - touch.x, at.clientY - touch.y) > slack) letGo();
}, {passive: false});
board.addEventListener("touchend", (event) => {
  if (touch && touch.ghost) {
    event.preventDefault(); // otherwise the browser would follow the card's link
    if (touch.column) moveCard(touch.card, touch.column);
  }
  letGo();
});
board.addEventListener("touchcancel", letGo);
board.addEventListener("contextmenu", (event) => { if (touch) event.preventDefault(); });

// The menu of a card.
const menu = Object.assign(document.createElement("div"), {className: "sheet moves", hidden: true});
menu.setAttribute("role", "menu");
document.body.append(menu);
let opener = null;

function closeMenu(focus) {
  if (menu.hidden) return;
  menu.hidden = true;
  opener.setAttribute("aria-expanded", "false");
  if (focus) opener.focus();
}

function openMenu(button) {
  const card = button.closest(".card"), here = card.closest(".column");
  closeMenu();
  opener = button;
  opener.setAttribute("aria-expanded", "true");
  menu.setAttribute("aria-label", "Move " + card.querySelector(".title").textContent + " to");
  menu.replaceChildren(...columns().map((column) => {
    const one = Object.assign(document.createElement("button"), {type: "button", textContent: nameOf(column), disabled: column === here});
    one.setAttribute("role", "menuitem");
    one.addEventListener("click", () => { closeMenu(); moveCard(card, column).then(() => card.querySelector(".title").focus()); });
    return one;
  }));
  menu.hidden = false;
  const area = button.getBoundingClientRect();
  menu.style.left = Math.max(8, Math.min(area.left, innerWidth - menu.offsetWidth - 8)) + "px";
  menu.style.top = Math.max(8, Math.min(area.bottom + 4, innerHeight - menu.offsetHeight - 8)) + "px";
  menu.querySelector("button:enabled")?.focus();
}

board.addEventListener("click", (event) => {
  const button = event.target.closest(".to");
  if (!button || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  openMenu(button);
});
document.addEventListener("click", (event) => { if (!menu.contains(event.target)) closeMenu(); });
board.addEventListener("scroll", () => closeMenu(), {passive: true});
menu.addEventListener("keydown", (event) => {
  const all = [...menu.querySelectorAll("button:enabled")], at = all.indexOf(document.activeElement);
  const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1}[event.key];
  if (to !== undefined) { event.preventDefault(); all[(to + all.length) % all.length].focus(); }
  if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); closeMenu(true); }
});

// Arrow keys move the focus from card to card.
board.addEventListener("keydown", (event) => {
  const card = event.target.closest(".card");
  if (!card) return;
  if (event.key === " " && event.target.matches(".to")) { event.preventDefault(); openMenu(event.target); return; }
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

// The next cards of a column are loaded before its end is visible.
async function more(line) {
  const link = line.querySelector("a"), column = line.closest(".column");
  if (line.dataset.busy) return;
  line.dataset.busy = "yes";
  try {
    const answer = await fetch(link.dataset.next, {credentials: "same-origin"});
    if (!answer.ok || answer.redirected) throw new Error("The next cards did not come.");
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    const there = new Set([...column.querySelectorAll(".card")].map((card) => card.dataset.company));
    const cards = [...part.querySelectorAll(".card")].filter((card) => !there.has(card.dataset.company) && !board.querySelector('[data-company="' + card.dataset.company + '"]'));
    cards.forEach(withMenu);
    column.querySelector(".cards").append(...cards);
    const next = part.querySelector(".more");
    seen.unobserve(line);
    if (next) { line.replaceWith(next); seen.observe(next); } else line.remove();
  } catch (failure) { delete line.dataset.busy; say(failure.message); }
}

function withMenu(card) {
  const button = card.querySelector(".to");
  button.setAttribute("role", "button");
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
}

const seen = new IntersectionObserver((lines) => lines.forEach((line) => { if (line.isIntersecting) more(line.target); }), {rootMargin: "300px 0px"});
board.querySelectorAll(".card").forEach(withMenu);
board.querySelectorAll(".more").forEach((line) => seen.observe(line));
board.addEventListener("click", (event) => {
  const link = event.target.closest("[data-next]");
  if (link && !event.ctrlKey && !event.metaKey) { event.preventDefault(); more(link.closest(".more")); }
});
