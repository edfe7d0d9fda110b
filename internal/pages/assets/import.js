"use strict";
// An upload shows how far it is. Without a script the form does the same.
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
