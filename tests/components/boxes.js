// Questions about the boxes of a page; each answer is a list of what is wrong.
(() => {
  const ROOM = 1; // pixels, for what browsers round

  const named = (element) => {
    const part = element.closest("section")?.id ?? element.closest("[id]")?.id ?? "";
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 50);
    return `#${part} ${element.localName}.${element.className} "${text}"`;
  };

  // Words for screen readers alone stand in a box of one pixel.
  const forEars = (element) => {
    for (let at = element; at; at = at.parentElement) {
      if (at.offsetWidth <= 1 && getComputedStyle(at).overflowX === "hidden") {
        return true;
      }
    }
    return false;
  };

  const seen = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest(".skip, svg") &&
    !forEars(element);

  // Texts of their own, with the boxes of their lines.
  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!node.data.trim() || !seen(element)) {
        continue;
      }
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width > 0) {
        found.push({ element, box });
      }
    }
    return found;
  };

  // Boxes around an element that cut it off where it is larger, with how they do it.
  const frames = (element) => {
    const found = [];
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.display !== "inline" && style.overflowX !== "visible") {
        found.push({ at, style });
      }
    }
    return found;
  };

  // What a reader reaches by arrow keys or a finger is not lost.
  const scrolls = ({ at, style }) => /auto|scroll/.test(style.overflowX) && at.matches("[tabindex]");

  const wide = () => {
    if (document.documentElement.scrollWidth <= innerWidth) {
      return [];
    }
    const beyond = [...document.body.querySelectorAll("*")].filter(
      (one) =>
        seen(one) &&
        one.getBoundingClientRect().right > innerWidth + ROOM &&
        !frames(one.parentElement).length,
    );
    return ["the page is wider than the window", ...beyond.map(named)];
  };

  const cut = () => {
    const found = [];
    for (const { element, box } of texts()) {
      const lines = frames(element);
      for (const frame of lines) {
        if (scrolls(frame)) {
          break;
        }
        const around = frame.at.getBoundingClientRect();
        const meant = frame.style.textOverflow === "ellipsis";
        const across = box.right > around.right + ROOM || box.left < around.left - ROOM;
        const down = box.bottom > around.bottom + ROOM || box.top < around.top - ROOM;
        if ((across && !meant) || down) {
          found.push(named(element));
          break;
        }
      }
      let block = element;
      while (getComputedStyle(block).display === "inline") {
        block = block.parentElement;
      }
      const own = getComputedStyle(block);
      if (own.overflowX === "visible" && block.scrollWidth > block.clientWidth + ROOM) {
        found.push(`beyond its box: ${named(block)}`);
      }
    }
    return [...new Set(found)];
  };

  // A reader of a screen and a reader of the source meet texts in the same order: none
  // stands above the one before it in the same column, or left of it in the same line.
  // Cells of a row that is a block on a phone are facts of one thing, and stand freely.
  const disordered = () => {
    const found = [];
    const flows = texts().filter(
      ({ element }) => !element.closest("[popover], .panel-body, .badge"),
    );
    flows.forEach(({ element, box }, place) => {
      const before = flows[place - 1];
      const part = element.closest("section");
      if (!before || !part || before.element.closest("section") !== part) {
        return;
      }
      const row = element.closest("tr");
      const block = row && getComputedStyle(row).display !== "table-row";
      if (block && before.element.closest("tr") === row) {
        return;
      }
      const above = box.bottom <= before.box.top + ROOM && box.left < before.box.right;
      const line = Math.min(box.bottom, before.box.bottom) - Math.max(box.top, before.box.top);
      const level = line > 0.5 * Math.min(box.height, before.box.height);
      if (above || (level && box.right <= before.box.left + ROOM)) {
        found.push(`${named(element)} comes before ${named(before.element)}`);
      }
    });
    return found;
  };

  const heads = () =>
    [...document.querySelectorAll(".fits thead th")].filter(
      (one) => one.getBoundingClientRect().width > 0,
    );

  const columns = () =>
    heads().map((one) => `${one.closest("section").id}: ${(one.querySelector("a") ?? one).textContent.trim()}`);

  // With the middle of the board at the top of the window.
  const scrolledHeads = () => {
    document.querySelector("#board tbody tr:nth-child(7)").scrollIntoView();
    return heads()
      .filter((one) => one.closest("#board"))
      .map((one) => Math.round(one.getBoundingClientRect().top));
  };

  window.boxes = { wide, cut, disordered, columns, scrolledHeads };
})();
