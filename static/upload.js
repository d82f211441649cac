// Sends the upload form with a progress bar and keeps what was typed when it fails.
// Without this script the form works as any other.

const MEGABYTE = 1024 * 1024;

function start(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
  for (const input of form.querySelectorAll("input[type=file]")) {
    for (const name of ["dragenter", "dragover"]) {
      input.addEventListener(name, () => input.classList.add("dropping"));
    }
    for (const name of ["dragleave", "drop", "change"]) {
      input.addEventListener(name, () => input.classList.remove("dropping"));
    }
    input.addEventListener("change", () => complain(input, tooLarge(form, input)));
  }
}

function chosen(form) {
  return [...form.querySelectorAll("input[type=file]")].filter((one) => one.files[0]);
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

async function send(form) {
  const button = form.querySelector("button[type=submit]");
  if (button.disabled) {
    return;
  }
  button.disabled = true;
  const wrong = await firstWrong(form);
  if (wrong) {
    button.disabled = false;
    wrong.focus();
    return;
  }
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.responseType = "document";
  request.upload.addEventListener("progress", (event) => progress(form, event));
  request.addEventListener("load", () => received(form, button, request));
  request.addEventListener("error", () => failed(form, button, form.dataset.offline));
  request.send(new FormData(form));
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
  }
}

function show(form, part, visible) {
  form.querySelector(`.${part}`).hidden = !visible;
}

function failed(form, button, text) {
  button.disabled = false;
  show(form, "sending", false);
  const notice = form.querySelector(".failed");
  notice.textContent = text;
  notice.hidden = text === "";
}

function received(form, button, request) {
  const answer = request.response?.querySelector("main");
  if (request.status === 200 && request.responseURL !== form.action) {
    location.assign(request.responseURL);
  } else if (answer && request.status < 500 && answer.querySelector("form[data-limit-mb]")) {
    replaceMain(form, answer);
  } else {
    failed(form, button, form.dataset.refused);
  }
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
    }
  }
  start(main.querySelector("form[data-limit-mb]"));
  main.dispatchEvent(new Event("plumbline:load", { bubbles: true }));
  scrollTo(0, 0);
  main.querySelector("[autofocus]")?.focus();
}

document.querySelectorAll("form[data-limit-mb]").forEach(start);
