// Says beside a time that is still to come how long it is until then, and keeps counting.

const language = document.documentElement.lang;
const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

// Below two days in two units, "in 5 hours 12 minutes": as `left` of the server says it.
function until(seconds) {
  const first = units.findIndex(([, one]) => seconds >= one);
  const place = first < 0 ? units.length - 1 : first;
  const number = seconds >= 2 * units[0][1] ? 1 : 2;
  const words = [];
  let rest = seconds;
  for (const [unit, size] of units.slice(place, place + number)) {
    const parts = format.formatToParts(Math.floor(rest / size), unit);
    // What stands before the number is said once.
    const from = words.length ? parts.findIndex(({ type }) => type === "integer") : 0;
    if (!words.length || Math.floor(rest / size)) {
      words.push(parts.slice(from).map(({ value }) => value).join(""));
    }
    rest %= size;
  }
  return words.join(" ");
}

function show(place) {
  const seconds = (new Date(place.dataset.until) - Date.now()) / 1000;
  const count = place.querySelector(":scope > .countdown");
  count.textContent = seconds > 0 ? until(seconds) : "";
  count.classList.remove("to-come");
  count.removeAttribute("aria-hidden");
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
