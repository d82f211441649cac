// Keys for what a judge chooses, a slider beside each number, one sending for a click.
// The page waits for this script: a form that the browser sent by itself would leave the
// page with the vote where the connection is lost.
"use strict";

const JUDGED = ".judging form";
const QUESTION = ".judging-steps, .judging-slider";
const TYPED = "input:not([type=range], [type=radio]), textarea, select";

document.addEventListener("keydown", (event) => {
  const held = event.repeat || event.ctrlKey || event.metaKey || event.altKey;
  if (held || event.target.closest(TYPED)) {
    return;
  }
  const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (button) {
    if (event.key !== "Enter" || !event.target.closest("a, button, summary")) {
      event.preventDefault();
      button.click();
    }
  } else if (/^\d$/.test(event.key)) {
    answer(event.target, Number(event.key));
  }
});

// A digit answers the question that has the focus, or else the first without an answer.
function answer(focused, digit) {
  const all = [...document.querySelectorAll(QUESTION)];
  const field = focused.closest(QUESTION) ?? all.find((one) => !isAnswered(one)) ?? all[0];
  const steps = field?.querySelectorAll("[type=radio]") ?? [];
  const slider = field?.querySelector("[type=range]");
  if (slider) {
    slider.value = digit * 10;
    slider.dispatchEvent(new Event("input"));
    slider.focus();
  } else if (steps.length) {
    const step = steps[digit ? digit - 1 : 9];
    step?.click();
    (all.find((one) => !isAnswered(one))?.querySelector("input") ?? step)?.focus();
  }
}

function isAnswered(question) {
  const found = question.querySelector(":checked, [type=number]");
  return Boolean(found?.checked || found?.value);
}

function addSlider(number) {
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = number.min;
  slider.max = number.max;
  slider.value = number.value || 50;
  slider.setAttribute("aria-labelledby", number.labels[0].id);
  slider.addEventListener("input", () => {
    number.value = slider.value;
  });
  number.addEventListener("input", () => {
    slider.value = number.value;
  });
  number.before(slider);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(JUDGED)) {
    return;
  }
  if (form.dataset.sent) {
    event.preventDefault();
  } else if (event.submitter?.name !== "more" && form.dataset.sent !== "") {
    event.preventDefault();
    send(form, event.submitter);
  }
  form.dataset.sent = "yes";
});

// A lost connection leaves the page as it is. The vote that was given is sent again, and
// its key makes it count once, also where only the answer was lost.
const WAITS = [2, 8, 30, 60];

function send(form, button) {
  const vote = new URLSearchParams(new FormData(form));
  if (button?.name) {
    vote.set(button.name, button.value);
  }
  const lost = document.querySelector(".judging-lost");
  let tries = 0;
  let timer;
  let underWay = false;
  async function attempt() {
    if (underWay) {
      return;
    }
    clearTimeout(timer);
    underWay = true;
    let answer;
    try {
      answer = await fetch(form.action, { method: "POST", body: vote, redirect: "manual" });
    } catch {
      answer = null;
    }
    underWay = answer !== null && answer.status < 500;
    if (answer?.type === "opaqueredirect") {
      location.assign(form.action);
    } else if (answer && answer.status < 500) {
      shown(form, button);
    } else {
      timer = setTimeout(attempt, 1000 * WAITS[Math.min(tries, WAITS.length - 1)]);
      tries += 1;
      rest(form, true);
      lost.hidden = false;
      document.querySelector(".judging-saved").hidden = true;
      lost.scrollIntoView({ block: "nearest" });
    }
  }
  lost.querySelector("button").addEventListener("click", attempt);
  addEventListener("online", attempt);
  attempt();
}

function rest(form, on) {
  for (const field of form.elements) {
    field.disabled = on;
  }
}

// What was not taken is said by a page, which the form loads as without a script.
function shown(form, button) {
  rest(form, false);
  form.dataset.sent = "";
  form.requestSubmit(button);
}

// A page that the browser kept may be sent again.
addEventListener("pageshow", (event) => {
  for (const form of event.persisted ? document.querySelectorAll(JUDGED) : []) {
    rest(form, false);
    delete form.dataset.sent;
  }
});

// Errors are marked by selecting words: the first empty row takes their numbers.
let marks;

function rows() {
  return [...marks.querySelectorAll(".judging-span")].map((row) => ({
    row,
    start: row.querySelector("[name=span-start]"),
    end: row.querySelector("[name=span-end]"),
    selects: [...row.querySelectorAll("select")],
  }));
}

function isEmpty({ start, end, selects }) {
  return [start, end, ...selects].every((field) => !field.value);
}

function drawMarks() {
  const spans = rows().map(({ start, end }) => [
    Number(start.value),
    Number(end.value || start.value),
  ]);
  for (const word of document.querySelectorAll("[data-word]")) {
    const number = Number(word.dataset.word);
    const marked = spans.some(([first, last]) => first <= number && number <= last);
    word.classList.toggle("judging-marked", marked);
  }
  for (const one of rows()) {
    one.row.querySelector("button").hidden = isEmpty(one);
  }
}

function wordAt(node) {
  return (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node)?.closest(
    "[data-word]",
  );
}

function markSelection() {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) {
    return;
  }
  const range = selection.getRangeAt(0);
  const chosen = [...document.querySelectorAll("[data-word]")].filter((word) =>
    range.intersectsNode(word.firstChild),
  );
  if (!chosen.length || !(wordAt(range.startContainer) ?? wordAt(range.endContainer))) {
    return;
  }
  let free = rows().find(isEmpty);
  if (!free) {
    const last = rows().at(-1).row.cloneNode(true);
    for (const field of last.querySelectorAll("input, select")) {
      field.value = "";
    }
    marks.append(last);
    free = rows().at(-1);
  }
  free.start.value = chosen[0].dataset.word;
  free.end.value = chosen.at(-1).dataset.word;
  selection.removeAllRanges();
  drawMarks();
  free.selects[0].focus();
}

function takeMarks() {
  document.querySelector(".judging").classList.add("judging-scripted");
  document.addEventListener("pointerup", (event) => {
    if (event.target.closest(".judging-answer")) {
      markSelection();
    }
  });
  marks.addEventListener("input", drawMarks);
  marks.addEventListener("click", (event) => {
    if (event.target.type !== "button") {
      return;
    }
    const fields = event.target.closest(".judging-span").querySelectorAll("input, select");
    for (const field of fields) {
      field.value = "";
    }
    fields[0].focus();
    drawMarks();
  });
  drawMarks();
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".judging-slider input[type=number]").forEach(addSlider);
  marks = document.querySelector(".judging-spans");
  if (marks) {
    takeMarks();
  }
});
