"use strict";
// Makes the pages quicker. Without scripts, forms do the same.
document.documentElement.classList.add("scripted");

// On a phone the navigation is wider than the window: it shows where one is.
{ // not by scrollIntoView, after which browsers move the focus on from there, past the link to the content
  const current = document.querySelector(".bar nav [aria-current]"), nav = current?.closest("nav");
  if (nav) {
    const link = current.getBoundingClientRect(), seen = nav.getBoundingClientRect();
    nav.scrollLeft += Math.max(0, link.right - seen.right) + Math.min(0, link.left - seen.left);
  }
}

const toast = document.querySelector(".toast");
let toastTimer = 0;

// say shows a sentence for a few seconds; screen readers read it out.
function say(sentence) {
  toast.textContent = sentence;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, 4000);
}

// call sends a request to the API as the user who is signed in, and returns the data of the response. For a refusal it throws an Error with a sentence for people.
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

// Menus close when the focus or a click leaves them.
document.addEventListener("click", (event) => {
  document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});
document.addEventListener("keydown", (event) => {
  const edit = event.key === "Escape" && event.target.closest("details.edit[open]");
  if (edit) { edit.open = false; edit.querySelector("summary").focus(); }
  if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
  if (event.key === "/" && !event.target.matches("input, textarea, select")) { event.preventDefault(); document.querySelector(".find input")?.focus(); }
});

// A button copies a link. Browsers allow that only over https and on localhost; otherwise the link is selected.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = button.parentElement.querySelector("input");
  try {
    await navigator.clipboard.writeText(field.value);
    say("Copied");
  } catch { field.select(); say("Press Ctrl and C to copy"); }
});
