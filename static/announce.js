// Says changes of a fragment aloud, once each, keeps a table where it was scrolled, and
// panels open. One panel is open at a time; Escape and a click elsewhere close it.

const announcer = document.getElementById("announcer");
const opened = () => document.querySelectorAll("details.panel[open]");
let scrolled = 0;

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  // Open already when what had the focus gets it back, which nothing hidden can have.
  for (const { id } of document.querySelectorAll("details[open]:is(.panel, #choose-rows)")) {
    detail.serverResponse = detail.serverResponse.replace(`id="${id}"`, `id="${id}" open`);
  }
  scrolled = document.querySelector(".table-region")?.scrollLeft ?? 0;
});

document.addEventListener("htmx:afterSettle", ({ target }) => {
  const region = document.querySelector(".table-region");
  if (region) {
    region.scrollLeft = scrolled;
  }
  // What came for a panel or a row that opened says nothing of the rest of the page.
  const told = target.matches("[data-announce]") ? target : target.querySelector("[data-announce]");
  const news = told?.dataset.announce ?? "";
  // A live region repeats even the same words when they are set again.
  if (news && news !== announcer.textContent) {
    announcer.textContent = news;
  }
});

document.addEventListener("click", ({ target }) => {
  for (const panel of opened()) {
    panel.open = panel.contains(target);
  }
});

document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") {
    return;
  }
  for (const panel of opened()) {
    if (panel.contains(document.activeElement)) {
      panel.querySelector("summary").focus();
    }
    panel.open = false;
  }
});
