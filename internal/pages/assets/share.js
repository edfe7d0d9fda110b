"use strict";
// Turns the pages of shared decks, and measures how long each was visible. Without scripts, the pages can be scrolled, and nothing is measured.
const {visit, times} = document.body.dataset;
const spent = new Map(); // milliseconds that are not reported yet, by company and page
const sights = new Map(); // the visible page of each deck, by the deck's element
let since = performance.now(), shown = document.visibilityState === "visible";

// note adds the time since its last call to the visible pages. It ignores more than a minute, since the computer slept then.
function note() {
  const now = performance.now(), gone = now - since;
  since = now;
  if (!shown || gone > 60000) return;
  sights.forEach((page) => { if (page) spent.set(page, (spent.get(page) || 0) + gone); });
}

function report() {
  note();
  const body = new URLSearchParams({visit});
  spent.forEach((gone, page) => { if (gone >= 500) { body.append("time", page + "." + Math.round(gone)); spent.delete(page); } });
  if (visit && body.has("time")) navigator.sendBeacon(times, body);
}

document.querySelectorAll("[data-deck]").forEach((deck) => {
  const list = deck.querySelector(".slides"), pages = [...list.children], turns = deck.querySelectorAll("[data-turn]");
  const visible = new Map();
  let at = 0;
  const watch = new IntersectionObserver((entries) => {
    note();
    entries.forEach((entry) => visible.set(entry.target, entry.intersectionRatio));
    const [page, ratio] = [...visible].reduce((best, one) => one[1] > best[1] ? one : best, [null, 0.3]);
    sights.set(deck, page && ratio ? deck.dataset.deck + "." + (pages.indexOf(page) + 1) : null);
    if (page) at = pages.indexOf(page);
    turns.forEach((button) => { button.disabled = !pages[at + Number(button.dataset.turn)]; });
  }, {threshold: [0, 0.3, 0.5, 0.7, 0.9]});
  pages.forEach((page) => watch.observe(page));
  const turn = (step) => { const to = pages[at + step]; if (to) list.scrollTo({left: to.offsetLeft - list.offsetLeft, behavior: "auto"}); };
  turns.forEach((button) => button.addEventListener("click", () => turn(Number(button.dataset.turn))));
  list.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1}[event.key];
    if (step) { event.preventDefault(); turn(step); }
  });
  if (pages.length > 1) deck.querySelector(".turn").hidden = false;
});

document.addEventListener("visibilitychange", () => {
  report();
  shown = document.visibilityState === "visible";
});
addEventListener("pagehide", report);
setInterval(report, 15000);
