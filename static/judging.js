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
