// Says beside a time that is still to come how long it is until then, and keeps counting.

const language = document.documentElement.lang;
const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

// In the largest unit of which there are two, so that "in 30 hours" is not "in 1 day".
function until(seconds) {
  const [unit, size] = units.find(([, one]) => seconds >= 2 * one) ?? units.at(-1);
  return format.format(Math.floor(seconds / size), unit);
}

function show(place) {
  const seconds = (new Date(place.dataset.until) - Date.now()) / 1000;
  const count = place.querySelector(":scope > .countdown");
  count.textContent = seconds > 0 ? until(seconds) : "";
  count.hidden = seconds <= 0;
}

// Also of what replaced a part of the page since.
function showAll() {
  for (const place of document.querySelectorAll("[data-until]")) {
    if (!place.querySelector(":scope > .countdown")) {
      const count = document.createElement("span");
      count.className = "countdown";
      place.append(" ", count);
    }
    show(place);
  }
}

showAll();
setInterval(showAll, 1000);
document.addEventListener("plumbline:load", showAll);
