// Sends the upload form with a progress bar and keeps what was typed when it fails.
// Without this script the form works as any other.

const MEGABYTE = 1024 * 1024;
// Seconds after which a broken upload is sent again; its key makes it count once.
const WAITS = [2, 8, 30, 60];
const again = { tries: 0, timer: undefined, signedOut: false };

function start(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(again.timer);
    send(form, event.submitter ?? form.querySelector("button[type=submit]"));
  });
  form.addEventListener("input", () => clearTimeout(again.timer));
  for (const input of fileInputs(form)) {
    for (const name of ["dragenter", "dragover"]) {
      input.addEventListener(name, () => input.classList.add("dropping"));
    }
    for (const name of ["dragleave", "drop", "change"]) {
      input.addEventListener(name, () => input.classList.remove("dropping"));
    }
    input.addEventListener("change", () => looked(form, input));
  }
  takeDrops(form, form.querySelector(".drop"));
}

function fileInputs(form) {
  return [...form.querySelectorAll("input[type=file]")];
}

function looked(form, input) {
  const wrong = tooLarge(form, input);
  complain(input, wrong);
  if (wrong) {
    state(input, "");
  } else {
    state(input, "ready", form.dataset.ready);
  }
}

// One file dropped on a field is the browser's business, as it is without a script.
function takeDrops(form, zone) {
  const own = (event) => event.target.matches("input[type=file]");
  const several = (event) => (event.dataTransfer?.items.length ?? 0) > 1;
  const ours = (event) =>
    event.dataTransfer?.types.includes("Files") && (!own(event) || several(event));
  zone.addEventListener("dragover", (event) => {
    if (ours(event)) {
      event.preventDefault();
      zone.classList.add("dropping");
    }
  });
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) {
      zone.classList.remove("dropping");
    }
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("dropping");
    if (ours(event)) {
      event.preventDefault();
      distribute(form, [...event.dataTransfer.files]);
    }
  });
}

function distribute(form, files) {
  const taken = new Set();
  const said = [];
  for (const file of files) {
    const input = placeOf(form, file, files.length);
    if (!input) {
      said.push(`${form.dataset.unmatched} ${file.name}`);
    } else if (taken.has(input)) {
      said.push(`${form.dataset.second} ${file.name}`);
    } else {
      taken.add(input);
      give(input, file);
    }
  }
  const line = form.querySelector(".misplaced");
  line.textContent = said.join(" \u00b7 ");
  line.hidden = said.length === 0;
}

function give(input, file) {
  const box = new DataTransfer();
  box.items.add(file);
  input.files = box.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// The rule of the server for members of a zip: a whole name before the beginning of
// one, and the longest that fits.
function placeOf(form, file, count) {
  const archive = form.querySelector("input[name=archive]");
  const inputs = fileInputs(form).filter((input) => input !== archive);
  if (inputs.length === 1 && count === 1) {
    return inputs[0];
  }
  const parts = file.name.split(".");
  const forms = parts.map((_, i) => plain(parts.slice(0, i + 1).join(".")));
  const name = (input) => plain(input.name.replace(/^file_/, ""));
  const whole = inputs.find((input) => forms.includes(name(input)));
  const fits = inputs.filter((input) => forms.some((one) => one.startsWith(`${name(input)}-`)));
  fits.sort((one, other) => name(other).length - name(one).length);
  const zip = archive && /\.zip$/i.test(file.name) ? archive : null;
  return whole ?? fits[0] ?? zip;
}

function plain(name) {
  return name.normalize("NFC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "-");
}

// As the server prints it of what was sent: "20 bytes", "167.5 KB".
function size(file) {
  const language = document.documentElement.lang;
  if (file.size < 1024) {
    const unit = { style: "unit", unit: "byte", unitDisplay: "long" };
    return file.size.toLocaleString(language, unit);
  }
  const large = file.size >= MEGABYTE;
  const number = file.size / (large ? MEGABYTE : 1024);
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${number.toLocaleString(language, digits)} ${large ? "MB" : "KB"}`;
}

// What is known of the file in a field: nothing, or a kind with a few words.
function state(input, kind, text = "") {
  const field = input.closest(".field");
  field.querySelector(".file-state")?.remove();
  if (kind === "" || !input.files[0]) {
    return;
  }
  const line = document.createElement("p");
  line.className = "file-state";
  line.dataset.kind = kind;
  line.textContent = `${text} \u00b7 ${input.files[0].name}, ${size(input.files[0])}`;
  input.after(line);
}

function states(form, kind, text) {
  for (const input of chosen(form)) {
    state(input, kind, text);
  }
}

function chosen(form) {
  return fileInputs(form).filter((one) => one.files[0]);
}

function tooLarge(form, input) {
  const limit = Number(form.dataset.limitMb) * MEGABYTE;
  return (input.files[0]?.size ?? 0) > limit ? form.dataset.tooLarge : "";
}

// A file that was edited after it was chosen cannot be read any more.
async function changedOnDisk(form, input) {
  try {
    await input.files[0].slice(0, 1).arrayBuffer();
    return "";
  } catch {
    return form.dataset.changed;
  }
}

function complain(input, text) {
  const field = input.closest(".field");
  field.querySelector(".errorlist")?.remove();
  field.classList.toggle("field-wrong", text !== "");
  input.toggleAttribute("aria-invalid", text !== "");
  if (text === "") {
    return;
  }
  const list = document.createElement("ul");
  list.className = "errorlist";
  list.id = `${input.id}_error`;
  list.append(Object.assign(document.createElement("li"), { textContent: text }));
  field.append(list);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", list.id);
}

async function firstWrong(form) {
  for (const input of chosen(form)) {
    const text = tooLarge(form, input) || (await changedOnDisk(form, input));
    complain(input, text);
    if (text) {
      return input;
    }
  }
  return null;
}

function busy(form, on) {
  for (const button of form.querySelectorAll("button[type=submit]")) {
    button.disabled = on;
  }
}

// The button that was pressed says whether the files are sent or only checked.
async function send(form, button) {
  if (button.disabled) {
    return;
  }
  busy(form, true);
  const wrong = await firstWrong(form);
  if (wrong) {
    busy(form, false);
    wrong.focus();
    return;
  }
  if (again.signedOut && (await signedOut(form))) {
    return;
  }
  show(form, "failed", false);
  busy(form, true);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  // The answer to a script names the submission's page instead of sending it along.
  request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
  request.responseType = "document";
  request.upload.addEventListener("progress", (event) => progress(form, event));
  request.addEventListener("load", () => received(form, request));
  request.addEventListener("error", () => broke(form, button));
  const data = new FormData(form);
  if (button.name) {
    data.append(button.name, button.value);
  }
  request.send(data);
  states(form, "sending", form.dataset.sending);
  show(form, "sending", true);
}

function progress(form, event) {
  const share = event.lengthComputable ? event.loaded / event.total : 0;
  form.querySelector("progress").value = share;
  const text =
    share < 1 ? `${form.dataset.sending} ${Math.floor(share * 10) * 10} %` : form.dataset.checking;
  const line = form.querySelector(".sending p");
  if (line.textContent !== text) {
    line.textContent = text;
    states(form, "sending", share < 1 ? form.dataset.sending : form.dataset.checking);
  }
}

function show(form, part, visible) {
  form.querySelector(`.${part}`).hidden = !visible;
}

function failed(form, text) {
  busy(form, false);
  show(form, "sending", false);
  states(form, "ready", form.dataset.kept);
  const notice = form.querySelector(".failed");
  notice.textContent = text;
  notice.hidden = text === "";
  show(form, "sign-in-again", text === form.dataset.signedOut);
}

// Whoever goes on typing decides alone when it is sent.
function broke(form, button) {
  failed(form, form.dataset.offline);
  const wait = WAITS[again.tries];
  again.tries += 1;
  if (wait !== undefined) {
    again.timer = setTimeout(() => form.requestSubmit(button), wait * 1000);
  }
}

// The session ended: signed in again in another tab, one has another token there too.
async function signedOut(form) {
  const name = "[name=csrfmiddlewaretoken]";
  const page = await fetch(form.action).then((answer) => answer.text(), () => "");
  const found = new DOMParser().parseFromString(page, "text/html");
  const token = found.querySelector(`form[data-limit-mb] ${name}`);
  again.signedOut = token === null;
  if (token) {
    form.querySelector(name).value = token.value;
  }
  failed(form, again.signedOut ? form.dataset.signedOut : form.dataset.refused);
  return again.signedOut;
}

// The page for signing in is no page for a script, but its address says which it is.
function asksToSignIn(form, request) {
  const page = form.querySelector(".sign-in-again a").pathname;
  return request.responseURL !== "" && new URL(request.responseURL).pathname === page;
}

function received(form, request) {
  const answer = request.response?.querySelector("main");
  if (request.status === 201) {
    location.assign(request.getResponseHeader("Location"));
  } else if (request.status === 403 || asksToSignIn(form, request)) {
    signedOut(form);
  } else if (answer && request.status === 200 && request.responseURL !== form.action) {
    moveTo(request, answer);
  } else if (answer && request.status < 500 && answer.querySelector("form[data-limit-mb]")) {
    replaceMain(form, answer);
  } else {
    failed(form, form.dataset.refused);
  }
}

// Another page answered, and says why: it says that once, so it is not asked for again.
function moveTo(request, answer) {
  history.replaceState(null, "", request.responseURL);
  document.title = request.response.title;
  const main = document.adoptNode(answer);
  document.querySelector("main").replaceWith(main);
  main.dispatchEvent(new Event("plumbline:load", { bubbles: true }));
  scrollTo(0, 0);
}

// The server's answer carries the typed text back; the chosen files move over here.
function replaceMain(form, answer) {
  const files = chosen(form);
  const main = document.adoptNode(answer);
  document.querySelector("main").replaceWith(main);
  for (const input of files) {
    const twin = main.querySelector(`input[name="${CSS.escape(input.name)}"]`);
    if (twin && !twin.closest(".field-wrong")) {
      twin.files = input.files;
      judged(main, twin);
    }
  }
  start(main.querySelector("form[data-limit-mb]"));
  main.dispatchEvent(new Event("plumbline:load", { bubbles: true }));
  scrollTo(0, 0);
  main.querySelector("[autofocus]")?.focus();
}

// Findings name the files they are about; those of a zip name its members.
function judged(main, input) {
  const texts = main.querySelector("form[data-limit-mb]").dataset;
  const named = [...main.querySelectorAll(".problems .file")].map((cell) => cell.textContent.trim());
  if (main.querySelector(".fits")) {
    state(input, "fine", texts.fine);
  } else if (named.length === 0) {
    state(input, "ready", texts.kept);
  } else if (input.name === "archive" || named.includes(input.files[0].name)) {
    state(input, "wrong", texts.wrong);
  } else {
    state(input, "fine", texts.fine);
  }
}

document.querySelectorAll("form[data-limit-mb]").forEach(start);

// Kept for the back button as it was when it left: button off, key used.
addEventListener("pageshow", (event) => event.persisted && location.reload());
