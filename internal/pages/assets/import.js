"use strict";
// A file can be dropped, and its upload shows how far it is. Without a script the form does the same.
document.querySelectorAll("[data-drop-one]").forEach((place) => {
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => { event.preventDefault(); place.classList.remove("over"); place.querySelector("input").files = event.dataTransfer.files; });
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-import]")) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await send(form, form.action, new FormData(form));
    await parsed(answer); // a refusal is said
    location.href = answer.responseURL;
  } catch (failure) { say(failure.message); } finally { button.disabled = false; }
});
