"use strict";
// Items of an ordered list can be dragged. Without scripts, their buttons move them.
const order = document.querySelector("[data-order]");

// put moves an item before another one, by its form, and shows the new list. If a button was used, the focus stays at it.
async function put(item, before, button) {
  const form = item.querySelector("[data-place]");
  try {
    const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams({before}), credentials: "same-origin"});
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) throw new Error(page.querySelector(".wrong, .notice p")?.textContent || "The server did not take it.");
    order.replaceChildren(...document.importNode(page.querySelector("[data-order]"), true).childNodes);
    say("The order is changed");
    const moved = order.querySelector('[data-id="' + item.dataset.id + '"]');
    const buttons = [...moved.querySelectorAll("[data-place] button")];
    if (button) (buttons.find((one) => one.ariaLabel === button.ariaLabel) || buttons[0])?.focus();
  } catch (failure) { say(failure.message); }
  arm();
}

// arm makes the items draggable, except while their form is open.
function arm() {
  order.querySelectorAll("[data-id]").forEach((item) => {
    item.draggable = true;
    item.addEventListener("toggle", () => { item.draggable = !item.querySelector("details[open]"); }, true);
  });
}

if (order) {
  let held = null;
  const mark = (over, after) => order.querySelectorAll("[data-id]").forEach((item) => {
    item.classList.toggle("drop-before", item === over && !after);
    item.classList.toggle("drop-after", item === over && after);
  });
  const half = (event, item) => event.clientY > item.getBoundingClientRect().top + item.offsetHeight / 2;
  arm();
  order.addEventListener("dragstart", (event) => { held = event.target.closest("[data-id]"); event.dataTransfer.effectAllowed = "move"; });
  order.addEventListener("dragend", () => { held = null; mark(null); });
  order.addEventListener("dragover", (event) => {
    const over = event.target.closest("[data-id]");
    if (!held || !over) return;
    event.preventDefault();
    mark(over, half(event, over));
  });
  order.addEventListener("drop", (event) => {
    const over = event.target.closest("[data-id]");
    if (!held || !over) return;
    event.preventDefault();
    const before = half(event, over) ? over.nextElementSibling : over;
    if (before !== held && held.nextElementSibling !== before) put(held, before ? before.dataset.id : "");
  });
  order.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-place]") || !event.submitter) return;
    event.preventDefault();
    put(event.target.closest("[data-id]"), event.submitter.value, event.submitter);
  });
}
