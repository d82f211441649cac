// Turns the times of a page, printed in UTC, into the reader's own zone, and names it.

const language = document.documentElement.lang;
const formats = {
  minute: new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }),
  day: new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "short",
    year: "numeric",
  }),
};

function localize(root) {
  for (const time of root.querySelectorAll("time[data-clock]")) {
    const moment = new Date(time.dateTime);
    time.title = `${formats.minute.format(moment)} (${time.dateTime})`;
    time.textContent = formats[time.dataset.clock].format(moment);
    // Once is enough: the text is no longer UTC.
    delete time.dataset.clock;
  }
}

localize(document);
document.addEventListener("htmx:load", (event) => localize(event.detail.elt));
document.addEventListener("plumbline:load", (event) => localize(event.target));
