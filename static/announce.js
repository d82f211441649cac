// Says changes of a fragment aloud, once each, keeps a table where it was scrolled, and
// panels open.

const announcer = document.getElementById("announcer");
let scrolled = 0;
let panels = [];

document.addEventListener("htmx:beforeSwap", () => {
  panels = [...document.querySelectorAll("details.panel[open]")].map(({ id }) => id);
  scrolled = document.querySelector(".table-region")?.scrollLeft ?? 0;
});

// Before what had the focus gets it back, which nothing hidden can have.
document.addEventListener("htmx:afterSwap", () => {
  for (const id of panels) {
    document.getElementById(id)?.setAttribute("open", "");
  }
});

document.addEventListener("htmx:afterSettle", () => {
  const region = document.querySelector(".table-region");
  if (region) {
    region.scrollLeft = scrolled;
  }
  const news = document.querySelector("[data-announce]")?.dataset.announce ?? "";
  // A live region repeats even the same words when they are set again.
  if (news && news !== announcer.textContent) {
    announcer.textContent = news;
  }
});
