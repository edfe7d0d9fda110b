"use strict";
// The table: shows how many companies are selected, and has a checkbox that selects all of the page.
const bulk = document.querySelector("[data-bulk]");
if (bulk) {
  const all = bulk.querySelector("[data-all]"), ticks = [...bulk.querySelectorAll("[name=company]")];
  const told = bulk.querySelector("[data-ticked]"), words = told.textContent;
  const count = () => {
    const ticked = ticks.filter((tick) => tick.checked).length;
    told.textContent = ticked ? ticked + " selected" : words;
    all.checked = ticked === ticks.length;
    all.indeterminate = ticked > 0 && ticked < ticks.length;
  };
  let last = null;
  all.hidden = false;
  all.addEventListener("change", () => { ticks.forEach((tick) => { tick.checked = all.checked; }); count(); });
  bulk.addEventListener("click", (event) => { // with Shift, also those between this one and the last one clicked
    const at = ticks.indexOf(event.target);
    if (at < 0) return;
    if (event.shiftKey && last !== null) ticks.slice(Math.min(at, last), Math.max(at, last) + 1).forEach((tick) => { tick.checked = event.target.checked; });
    last = at;
    count();
  });
  bulk.addEventListener("change", count);
  count();
}
