// Keys for the buttons of a judge, a slider beside each number, one sending for a click.

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=range]), textarea, select");
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`)?.click();
});

for (const number of document.querySelectorAll(".judging-slider input[type=number]")) {
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

for (const form of document.querySelectorAll(".judging form")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
    }
    form.dataset.sent = "yes";
  });
}

// A page that the browser kept may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll(".judging form")) {
    delete form.dataset.sent;
  }
});

// Errors are marked by selecting words: the first empty row takes their numbers.
const marks = document.querySelector(".judging-spans");

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

if (marks) {
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
