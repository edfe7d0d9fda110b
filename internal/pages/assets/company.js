"use strict";
// Makes the pages of a company quicker. Without scripts, their forms do the same.

// unmarked returns a copy of a part of the page without the marks of quotes that a script has added.
function unmarked(part) {
  const plain = part.cloneNode(true);
  plain.querySelectorAll(".spot").forEach((spot) => spot.remove());
  return plain;
}

// focusAt sets the focus to a part that was replaced, so that keyboard users keep their position.
function focusAt(part) { (part.matches("[tabindex]") ? part : part.querySelector("summary, a, button"))?.focus(); }

// swap replaces the parts of this page that differ in page, a newer version of it. It leaves a part in which the user is editing, unless its id is force.
function swap(page, force) {
  document.querySelectorAll("[data-live]").forEach((old) => {
    const now = page.getElementById(old.id);
    const busy = old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select") || old.querySelector("details.edit[open]");
    if (!now) { if (!busy) old.remove(); return; }
    if (unmarked(old).isEqualNode(now) || busy && !(force && force === old.id)) return;
    const held = old.contains(document.activeElement) && document.activeElement.closest("[id]").id;
    old.replaceWith(document.importNode(now, true));
    if (held) focusAt(document.getElementById(held) || document.getElementById(old.id));
  });
  page.querySelectorAll("[data-live]").forEach((now) => { // parts that are new
    const before = now.previousElementSibling && document.getElementById(now.previousElementSibling.id);
    if (before && !document.getElementById(now.id)) before.after(document.importNode(now, true));
  });
  document.dispatchEvent(new Event("swapped"));
}

async function pageOf(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) throw new Error(page.querySelector(".notice p")?.textContent || "The server did not take it.");
  return page;
}

const refresh = async () => swap(await pageOf(await fetch(location.href, {credentials: "same-origin"})));

// A form with data-quick is sent without loading the page again.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-quick]")) return;
  event.preventDefault();
  const part = form.closest("[data-live]")?.id, next = form.closest("[data-finding]") && beside(1, form.closest("[data-finding]"));
  try {
    swap(await pageOf(await fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form)), credentials: "same-origin"})), part);
    say(form.dataset.said || "Saved");
    if (next) document.querySelector('[data-finding="' + next.dataset.finding + '"]')?.focus();
  } catch (failure) { say(failure.message); }
});

// send posts a form with its files and shows how much of it was sent.
function send(form, url, body, headers) {
  const bar = form.querySelector("progress");
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    Object.entries(headers || {}).forEach(([name, value]) => request.setRequestHeader(name, value));
    bar.hidden = false;
    bar.value = 0;
    request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = 100 * event.loaded / event.total; };
    request.upload.onload = () => bar.removeAttribute("value"); // all is sent; how long the server takes is not known
    request.onload = () => { bar.hidden = true; resolve(request); };
    request.onerror = () => { bar.hidden = true; reject(new Error("The connection broke.")); };
    request.send(body);
  });
}

const parsed = (request) => pageOf(new Response(request.responseText, {status: request.status}));

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-upload]")) return;
  event.preventDefault();
  try {
    swap(await parsed(await send(form, form.action, new FormData(form))), form.closest("[data-live]").id);
    say("Added");
  } catch (failure) { say(failure.message); }
});

// Changes by other people are shown at once.
const watched = document.querySelector("[data-events]");
if (watched) new EventSource(watched.dataset.events).addEventListener("changed", () => refresh().catch(() => {}));

// Keys of the queue of reviews: j and k move, y confirms, e edits.
function beside(step, from) {
  const all = [...document.querySelectorAll("[data-finding]")];
  return all[Math.min(Math.max(all.indexOf(from) + step, 0), all.length - 1)];
}

if (document.querySelector("[data-queue]")) {
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = document.activeElement.closest("[data-finding]");
    if (event.key === "j") (beside(1, at) || document.body).focus();
    else if (event.key === "k") (beside(-1, at) || document.body).focus();
    else if (event.key === "y" && at) at.querySelector("[data-confirm]").requestSubmit();
    else if (event.key === "e" && at && at.querySelector("details.edit")) {
      at.querySelector("details.edit").open = true;
      at.querySelector("details.edit").querySelector("input:not([type=hidden]), select, textarea")?.focus();
    } else return;
    event.preventDefault();
  });
}

// The chosen files of the page that adds a company. They are kept here between a dry run, which stores nothing, and the creation.
const mostFiles = 10;
let files = [], suggested = "";
function chosen(list) {
  const all = [...files, ...list], left = all.slice(mostFiles);
  files = all.slice(0, mostFiles);
  if (left.length) say("Left out, since " + mostFiles + " files are the most: " + left.map((file) => file.name).join(", "));
  showFiles();
}

// showFiles lists the chosen files. The form needs a text: until the user writes one, it is a sentence with the names of the files.
function showFiles() {
  const text = document.querySelector("[data-add] textarea[name=text]");
  if (text && text.value === suggested) text.value = suggested = files.length ? "See " + files.map((file) => file.name).join(", ") + "." : "";
  document.querySelectorAll("[data-files]").forEach((shown) => shown.replaceChildren(...files.map((file, i) => {
    const line = Object.assign(document.createElement("li"), {className: "line"}), remove = Object.assign(document.createElement("button"), {type: "button", className: "plain", textContent: "Remove"});
    remove.setAttribute("aria-label", "Remove " + file.name);
    remove.addEventListener("click", () => {
      files.splice(i, 1);
      showFiles();
      (shown.querySelectorAll("button")[Math.min(i, files.length - 1)] || shown.closest("[data-drop]").querySelector("input")).focus();
    });
    line.append(Object.assign(document.createElement("span"), {textContent: file.name, dir: "auto"}), remove);
    return line;
  })));
}
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-add] input[type=file]")) { chosen(event.target.files); event.target.value = ""; }
});

// Files may be dropped anywhere on the page. Otherwise the browser would open them in place of the page.
const place = () => document.querySelector("[data-drop], [data-drop-one], [data-upload]");
const brings = (event) => place() && event.dataTransfer && [...event.dataTransfer.types].includes("Files");
document.addEventListener("dragover", (event) => {
  if (!brings(event)) return;
  event.preventDefault();
  place().classList.add("taking");
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) place()?.classList.remove("taking"); });
document.addEventListener("drop", (event) => {
  if (!brings(event)) return;
  event.preventDefault();
  const at = place();
  at.classList.remove("taking");
  if (at.matches("[data-drop]")) { chosen(event.dataTransfer.files); return; }
  const one = new DataTransfer();
  if (event.dataTransfer.files.length) one.items.add(event.dataTransfer.files[0]);
  at.querySelector("input[type=file]").files = one.files;
  if (event.dataTransfer.files.length > 1) say("One file at a time: " + one.files[0].name);
  if (at.matches("[data-upload]") && one.files.length) at.requestSubmit();
});

// creation returns the form data of an AI creation: the text, the files, and the corrected fields.
function creation(form) {
  const from = new FormData(form), to = new FormData(), metadata = {};
  ["account_id", "text", "name", "company_status_id", "source", "visibility", "notes"].forEach((name) => {
    const value = from.get(name);
    if (value && value !== "no_status" && value !== from.get("was_" + name)) to.set(name, value);
  });
  if (from.get("summary") && from.get("summary") !== from.get("was_summary")) metadata.ai_analysis = from.get("summary");
  const column = (name) => from.getAll("founder_" + name);
  const founders = column("name").map((name, i) => ({
    name, email: column("email")[i], phone: column("phone")[i], title: column("title")[i], background: column("background")[i], linkedin_profile: column("linkedin")[i],
  })).filter((one) => one.name || one.email || one.phone || one.title || one.linkedin_profile);
  if (from.has("was_founders") && JSON.stringify(founders) !== JSON.stringify(JSON.parse(from.get("was_founders")) || [])) metadata.founders = founders;
  if (Object.keys(metadata).length) to.set("metadata", JSON.stringify(metadata));
  files.forEach((file, i) => to.set("file_" + i, file));
  return to;
}

const uuid = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let creationKey = {};

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-add]")) return;
  event.preventDefault();
  const look = event.submitter && event.submitter.name === "dry_run";
  const buttons = form.querySelectorAll("button"), pressed = event.submitter || buttons[0], words = pressed.textContent;
  buttons.forEach((button) => { button.disabled = true; });
  pressed.textContent = look ? "Looking…" : "Adding…";
  try {
    if (look) {
      const body = new FormData(form);
      body.delete("file");
      body.set("dry_run", "true");
      files.forEach((file) => body.append("file", file));
      const page = await parsed(await send(form, form.action, body));
      document.querySelector("main").replaceChildren(...document.importNode(page.querySelector("main"), true).childNodes);
      const again = document.querySelector("[data-again]");
      if (again && files.length) again.firstChild.textContent = "Files, drop more here or choose";
      showFiles();
      document.querySelector("main h1").tabIndex = -1;
      document.querySelector("main h1").focus();
      toast.hidden = true;
      return;
    }
    const body = creation(form), print = JSON.stringify([...body].map(([name, value]) => [name, value.name || value]));
    if (creationKey.print !== print) creationKey = {print, key: uuid()}; // so that repeating a request creates no second company
    const answer = JSON.parse((await send(form, "/api/v1/companies/upload/ai", body, {"Idempotency-Key": creationKey.key})).responseText);
    if (!answer.success) throw new Error(answer.details && answer.details[0] ? answer.details[0].field + " " + answer.details[0].message : answer.error);
    location.href = document.body.dataset.base + "/companies/" + answer.data.company.id;
  } catch (failure) { say(failure.message); } finally { buttons.forEach((button) => { button.disabled = false; }); pressed.textContent = words; }
});
