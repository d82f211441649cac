// Turns the times of a page, printed in UTC, into the reader's own zone, and names it.
// Times of a phase stay in its zone; the reader's follows where the clocks differ.

const language = document.documentElement.lang;
// As the server writes months in this language.
const month = document.documentElement.dataset.months || "short";
const formats = {
  second: new Intl.DateTimeFormat(language, {
    day: "numeric",
    month,
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }),
  minute: new Intl.DateTimeFormat(language, {
    day: "numeric",
    month,
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }),
  day: new Intl.DateTimeFormat(language, {
    day: "numeric",
    month,
    year: "numeric",
  }),
};

// As the server prints it, "21 Sep 2026": British English alone shortens to four letters,
// German alone shortens April here, and Russian puts a word behind the year.
function text(kind, moment) {
  return formats[kind]
    .format(moment)
    .replace(/\bSept\b(?!\.)/, "Sep")
    .replace("Apr.", "April")
    .replace(/\sг\.(?: в|,)?(?= \d)/, ",")
    .replace(/\sг\.$/, "");
}

// "2026-06-02T14:00" on the reader's clock.
function wallOf(moment) {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

function addOwn(time) {
  const moment = new Date(time.dateTime);
  if (wallOf(moment) !== time.dataset.wall) {
    const own = document.createElement("span");
    own.className = "own-clock";
    const there = text("minute", moment);
    own.textContent = `${time.dataset.yours} ${there}`;
    time.append(own);
  }
  delete time.dataset.clock;
}

function localize(root) {
  root.querySelectorAll("time[data-clock=own]").forEach(addOwn);
  for (const time of root.querySelectorAll("time[data-clock]")) {
    const moment = new Date(time.dateTime);
    const whole = text("minute", moment);
    time.title = `${whole} (${time.dateTime})`;
    time.textContent = text(time.dataset.clock, moment);
    // Once is enough: the text is no longer UTC.
    delete time.dataset.clock;
  }
}

localize(document);
document.addEventListener("htmx:load", (event) => localize(event.detail.elt));
document.addEventListener("plumbline:load", (event) => localize(event.target));
