"use strict";
// Marks the quotes of findings on the pages of the deck. A click on a finding's quote scrolls to its mark, and a click on a mark to its finding.
let marked = new Map(); // by slide: the promise of marking its quotes

async function markQuotes(slide) {
  const answer = await fetch(slide.dataset.quotes, {credentials: "same-origin"});
  if (!answer.ok) throw new Error("The places of the quotes did not come.");
  const frame = slide.querySelector(".drawn");
  (await answer.json()).forEach((one) => one.areas.forEach((area, i) => {
    const finding = document.getElementById("finding-" + one.finding), spot = document.createElement("a");
    if (!finding) return;
    spot.className = "spot";
    spot.href = "#finding-" + one.finding;
    spot.dataset.spot = one.finding;
    spot.setAttribute("aria-label", "Quote of " + finding.querySelector("strong").textContent);
    if (i) { spot.tabIndex = -1; spot.setAttribute("aria-hidden", "true"); }
    for (const [side, part] of Object.entries({left: area.left, top: area.top, width: area.width, height: area.height})) spot.style[side] = 100 * part + "%";
    frame.append(spot);
  }));
}

// quotesOn marks the quotes on a slide, unless that was done, and returns a promise.
function quotesOn(slide) {
  if (!slide.dataset.quotes) return Promise.resolve();
  if (!marked.has(slide)) marked.set(slide, markQuotes(slide).catch(() => marked.delete(slide)));
  return marked.get(slide);
}

const inSight = new IntersectionObserver((slides) => slides.forEach((slide) => { if (slide.isIntersecting) quotesOn(slide.target); }), {rootMargin: "300px"});
const watchSlides = () => document.querySelectorAll("[data-quotes]").forEach((slide) => inSight.observe(slide));
watchSlides();

document.addEventListener("swapped", () => { // the findings may have changed
  marked = new Map();
  inSight.disconnect();
  document.querySelectorAll(".spot").forEach((spot) => spot.remove());
  watchSlides();
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-quote]");
  const slide = link && document.getElementById(link.hash.slice(1));
  if (!slide || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  await quotesOn(slide);
  document.querySelectorAll(".spot.at").forEach((spot) => spot.classList.remove("at"));
  const spots = slide.querySelectorAll('[data-spot="' + link.dataset.quote + '"]');
  spots.forEach((spot) => spot.classList.add("at"));
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  (spots[0] || slide).scrollIntoView({block: "center", inline: "center", behavior: calm ? "auto" : "smooth"});
  if (spots[0]) spots[0].focus({preventScroll: true});
});
