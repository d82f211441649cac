// Charts are pictures of the page itself. Plotly, which weighs more than all the rest of
// the site, is fetched when somebody zooms in; it draws the same figures, which the page
// carries as data, in the page's colours.

const dark = matchMedia("(prefers-color-scheme: dark)");
const NARROW = 480;
// A point stands behind the day in German.
const DAY = document.documentElement.lang === "de" ? "%-d. %b" : "%-d %b";
const DATE = `${DAY} %Y`;
const CONFIG = { displayModeBar: false, responsive: true, locale: "page" };
const SCALE = 2; // of a picture that is saved as PNG
const ABSENT = "#c3ccd3";
const SYMBOLS = ["circle", "diamond", "square", "triangle-up", "x", "star"];

// Hues that people with any colour vision tell apart, and shapes for everybody else.
const LIGHT = {
  places: ["#0b5f6b", "#c25700", "#5b4fa8", "#8a6d00", "#a3346f", "#4a5a66"],
  sequential: [[0, "#f3f7f8"], [0.5, "#8cc0c6"], [1, "#084a54"]],
  diverging: [[0, "#a34a00"], [0.5, "#f5f5f5"], [1, "#0b5f6b"]],
};
const DARK = {
  places: ["#6cc7d2", "#f2a35e", "#b3a8f5", "#dcc15a", "#f08fc0", "#a9b8c4"],
  sequential: [[0, "#172229"], [0.5, "#2f7c87"], [1, "#b5ecf2"]],
  diverging: [[0, "#f2a35e"], [0.5, "#273038"], [1, "#6cc7d2"]],
};

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const palette = () => (dark.matches ? DARK : LIGHT);

// On a phone team and system have a line each.
function rowNames(names, width) {
  return width < NARROW ? names.map((name) => name.split(" · ").join("<br>")) : names;
}

function dressedAxis(axis, width) {
  const names = axis.ticktext ? { ticktext: rowNames(axis.ticktext, width) } : {};
  return {
    ...axis,
    ...names,
    ...(axis.type === "date" && { tickformat: DAY, hoverformat: DATE }),
    automargin: true,
    fixedrange: false,
    showgrid: !axis.ticktext,
    gridcolor: colour("line"),
    linecolor: colour("line-strong"),
    tickfont: { color: colour("text"), size: 12 },
  };
}

// Dates as the tables have them: Plotly knows the names of months in English alone.
function nameMonths() {
  const language = document.documentElement.lang;
  const names = (month) =>
    Array.from({ length: 12 }, (_none, i) =>
      new Intl.DateTimeFormat(language, { day: "numeric", month })
        .formatToParts(new Date(2026, i, 1))
        .find((part) => part.type === "month").value.replace(/^Sept$/, "Sep"),
    );
  const format = { months: names("long"), shortMonths: names("short"), date: DATE };
  window.Plotly.register({ moduleType: "locale", name: "page", dictionary: {}, format });
}

// As the server writes numbers: in Russian thousands stand a narrow space apart.
function separators() {
  const parts = new Intl.NumberFormat(document.documentElement.lang).formatToParts(1234567.8);
  const sign = (type) => parts.find((part) => part.type === type).value;
  return sign("decimal") + sign("group").replace("\u00a0", "\u202f");
}

const interval = (bars) => bars && { ...bars, thickness: 1.5, width: 4 };

const parts = {
  points: (trace) => ({
    marker: {
      size: trace.x.map((_x, i) => (trace.meta.own[i] ? 12 : 8)),
      color: trace.x.map((_x, i) => {
        const usual = colour(trace.meta.behind[i] ? "muted" : "accent");
        return trace.meta.own[i] ? palette().places[1] : usual;
      }),
      symbol: trace.meta.hollow.map((hollow, i) => {
        const side = trace.meta.beyond[i];
        return (side ? `triangle-${side}` : "circle") + (hollow ? "-open" : "");
      }),
      line: { width: trace.meta.hollow.map((hollow) => (hollow ? 1.5 : 0)) },
      opacity: 1,
    },
    textposition: "top right",
    textfont: { color: colour("text"), size: 11 },
    error_x: trace.error_x && { ...interval(trace.error_x), color: colour("accent") },
    error_y: trace.error_y && { ...interval(trace.error_y), color: colour("accent") },
  }),
  line: (trace) => ({
    line: { ...trace.line, color: palette().places[1], width: 2 },
    marker: { color: palette().places[1], size: 7 },
  }),
  team: (trace) => {
    const own = palette().places[trace.meta.place % palette().places.length];
    return {
      line: { ...trace.line, color: own, width: trace.meta.own[0] ? 5 : 2 },
      marker: { color: own, size: trace.meta.own[0] ? 11 : 6 },
      textfont: { color: colour("text"), size: 12 },
    };
  },
  dots: (trace) => {
    const own = palette().places[trace.meta.place % palette().places.length];
    const symbol = SYMBOLS[trace.meta.place % SYMBOLS.length];
    return {
      marker: { color: own, symbol, size: trace.meta.own[0] ? 13 : 9 },
      error_x: { ...interval(trace.error_x), color: own },
    };
  },
  sequential: (trace) => ({
    ...(trace.meta.shares && { zmin: 0, zmax: 1 }),
    colorscale: palette().sequential,
    colorbar: bar(),
  }),
  diverging: (trace) => ({
    zmin: trace.zmin ?? 0,
    zmax: trace.zmax ?? 1,
    colorscale: palette().diverging,
    colorbar: bar(),
  }),
};

function bar() {
  const tickfont = { color: colour("text") };
  return { thickness: 10, outlinewidth: 0, tickfont };
}

function dressed(figure, width) {
  const data = figure.data.map((trace) => ({
    ...trace,
    ...parts[trace.meta.part](trace),
    ...(trace.type === "heatmap" && { showscale: width >= NARROW }),
  }));
  // Squares without a number have no colour of their own; the text on them is dark.
  const absent = figure.data.some((trace) =>
    trace.type === "heatmap" && trace.z.some((line, i) => line.some((z, j) => z === null && trace.text[i][j])),
  );
  // On a phone names behind lines reach beyond the frame.
  const named = figure.data.some((trace) => trace.meta.part === "team");
  const layout = {
    ...figure.layout,
    template: null,
    shapes: (figure.layout.shapes ?? []).map((line) => ({
      ...line,
      line: { color: colour("line-strong"), width: 1.5 },
    })),
    separators: separators(),
    dragmode: "zoom",
    hovermode: "closest",
    margin: { l: 8, r: width < NARROW && named ? 64 : 16, t: 8, b: 32 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: absent ? ABSENT : "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, color: colour("text") },
    legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom" },
    hoverlabel: {
      bgcolor: colour("surface"),
      bordercolor: colour("line-strong"),
      font: { color: colour("text") },
      align: "left",
    },
    xaxis: dressedAxis(figure.layout.xaxis, width),
    yaxis: dressedAxis(figure.layout.yaxis, width),
  };
  return { data, layout };
}

function draw(place, figure) {
  const { data, layout } = dressed(figure, place.clientWidth);
  const drawn = window.Plotly.react(place, data, layout, CONFIG);
  place.dataset.drawn = "";
  return drawn;
}

function allowed() {
  // Plotly's map code would inject a style sheet, which the page's policy refuses,
  // unless an element of this id is there already.
  const mapStyles = document.createElement("meta");
  mapStyles.id = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";
  document.head.append(mapStyles);

  // Plotly writes the style of its heat maps as an attribute, which the policy refuses;
  // by way of the object model the same is allowed.
  SVGElement.prototype.setAttribute = function setAttribute(name, value) {
    if (name === "style") {
      this.style.cssText = value;
    } else {
      Element.prototype.setAttribute.call(this, name, value);
    }
  };
}

let fetched;
function plotly() {
  fetched ??= new Promise((resolve, reject) => {
    allowed();
    const script = document.createElement("script");
    script.src = document.getElementById("charts-script").dataset.plotly;
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
  return fetched;
}

function around(place) {
  return place.closest("figure");
}

// The picture stays where Plotly does not come.
async function zoom(button, figure) {
  const whole = around(button);
  const picture = whole.querySelector(".chart");
  const place = document.createElement("div");
  place.className = "chart chart-zoomed";
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", picture.querySelector("title").textContent);
  place.style.minHeight = `${figure.layout.height}px`;
  button.disabled = true;
  try {
    await plotly();
    nameMonths();
    picture.after(place);
    picture.hidden = true;
    await draw(place, figure);
    figureOf.set(place, figure);
    button.hidden = true;
  } catch (error) {
    place.remove();
    picture.hidden = false;
    whole.querySelector(".chart-failed").hidden = false;
    throw error;
  }
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function rastered(text) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.addEventListener("error", reject);
    image.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth * SCALE;
      canvas.height = image.naturalHeight * SCALE;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

async function savePng(button) {
  const answer = await fetch(around(button).querySelector("a[download]").href);
  save(await rastered(await answer.text()), button.dataset.png);
}

const figureOf = new WeakMap();
const figures = JSON.parse(document.getElementById("figures").textContent);
document.querySelectorAll("[data-zoom]").forEach((button, position) => {
  button.hidden = false;
  button.addEventListener("click", () => zoom(button, figures[position]));
});
for (const button of document.querySelectorAll("[data-png]")) {
  button.hidden = false;
  button.addEventListener("click", () => savePng(button));
}
dark.addEventListener("change", () => {
  for (const place of document.querySelectorAll(".chart-zoomed[data-drawn]")) {
    draw(place, figureOf.get(place));
  }
});
