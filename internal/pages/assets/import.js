"use strict";
// Shows the progress of an upload. Without scripts, the form sends the file too.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-import]")) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const answer = await send(form, form.action, new FormData(form));
    await parsed(answer); // throws an Error for a refusal
    location.href = answer.responseURL;
  } catch (failure) { say(failure.message); } finally { button.disabled = false; }
});
