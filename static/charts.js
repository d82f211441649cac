// Draws the figures that the page carries as data, in the page's colours. Runs before
// Plotly's own script, which is deferred like this one.

const dark = matchMedia("(prefers-color-scheme: dark)");
const NARROW = 480;
const CONFIG = { displayModeBar: false, responsive: true };

// Plotly's map code would inject a style sheet, which the page's policy refuses,
// unless an element of this id is there already.
const mapStyles = document.createElement("meta");
mapStyles.id = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";
document.head.append(mapStyles);

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function dressedAxis(axis) {
  return {
    ...axis,
    automargin: true,
    fixedrange: true,
    gridcolor: colour("line"),
    linecolor: colour("line-strong"),
    tickfont: { color: colour("text"), size: 12 },
  };
}

// On a phone team and system do not fit beside the points: the table has both.
function rowNames(names, width) {
  return width < NARROW ? names.map((name) => name.split(" · ").pop()) : names;
}

function dressed(figure, width) {
  const accent = colour("accent");
  // The caption above says what the axis shows.
  const xaxis = { ...dressedAxis(figure.layout.xaxis), title: { text: "" } };
  const yaxis = dressedAxis(figure.layout.yaxis);
  const layout = {
    ...figure.layout,
    template: null,
    dragmode: false,
    hovermode: "closest",
    margin: { l: 8, r: 16, t: 8, b: 32 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, color: colour("muted") },
    hoverlabel: {
      bgcolor: colour("surface"),
      bordercolor: colour("line-strong"),
      font: { color: colour("text") },
      align: "left",
    },
    xaxis,
    yaxis: { ...yaxis, ticktext: rowNames(yaxis.ticktext, width), showgrid: false },
  };
  const data = figure.data.map((trace) => ({
    ...trace,
    marker: { color: accent, size: 8 },
    error_x: { ...trace.error_x, color: accent, thickness: 1.5, width: 4 },
  }));
  return { data, layout };
}

function draw(place, figure) {
  const { data, layout } = dressed(figure, place.clientWidth);
  window.Plotly.react(place, data, layout, CONFIG);
  place.dataset.drawn = "";
}

const figureOf = new WeakMap();
const plotly = new Promise((resolve) => {
  document.addEventListener("DOMContentLoaded", resolve, { once: true });
});
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      seen.unobserve(entry.target);
      plotly.then(() => draw(entry.target, figureOf.get(entry.target)));
    }
  },
  { rootMargin: "400px" },
);

// Heights first, so that nothing moves when a chart is drawn; then each as it nears.
function prepare() {
  const data = document.getElementById("figures");
  const figures = data ? JSON.parse(data.textContent) : [];
  document.querySelectorAll(".chart").forEach((place, position) => {
    place.style.minHeight = `${figures[position].layout.height}px`;
    figureOf.set(place, figures[position]);
    seen.observe(place);
  });
}

prepare();
document.addEventListener("htmx:load", (event) => {
  if (event.target.id === "board") {
    prepare();
  }
});
dark.addEventListener("change", () => {
  for (const place of document.querySelectorAll(".chart[data-drawn]")) {
    draw(place, figureOf.get(place));
  }
});
