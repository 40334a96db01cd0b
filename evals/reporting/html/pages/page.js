(() => {
  // The first number of a cell decides; a cell without one is compared as text.
  const key = cell => {
    const number = /[-+]?[\d,]*\.?\d+/.exec(cell.textContent);
    return number && !cell.matches("th") ? Number(number[0].replaceAll(",", "")) : cell.textContent;
  };
  const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b) : typeof a === "number" ? -1 : 1;
  for (const table of document.querySelectorAll("table:not(.changes)")) {
    const body = table.tBodies[0];
    for (const [place, heading] of [...table.tHead.rows[0].cells].entries()) {
      if (!heading.textContent) continue;
      const button = document.createElement("button");
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const sign = heading.ariaSort === "descending" ? 1 : -1;
        for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
        heading.ariaSort = sign === 1 ? "ascending" : "descending";
        body.append(...[...body.rows].sort((a, b) => sign * order(key(a.cells[place]), key(b.cells[place]))));
      });
    }
  }
})();
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  let episodes = [...document.querySelectorAll("#list > .episode")];
  const texts = new Map();
  const count = document.getElementById("count");
  const text = episode => {
    if (!texts.has(episode)) texts.set(episode, episode.textContent.toLowerCase());
    return texts.get(episode);
  };
  const apply = () => {
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    const words = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const episode of episodes) {
      const fits = wanted.every(([name, value]) => name === "text" || episode.dataset[name] === value);
      episode.hidden = !(fits && (!words || text(episode).includes(words)));
      shown += !episode.hidden;
    }
    count.textContent = `${shown} of ${episodes.length} episodes`;
  };
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href='#episodes']");
    if (!link) return;
    document.getElementById("episodes").open = true;
    if (!link.dataset.filter) return;
    form.reset();
    for (const [name, value] of Object.entries(JSON.parse(link.dataset.filter)))
      if (form.elements[name]) form.elements[name].value = value;
    apply();
  });
  for (const event of ["input", "change"]) form.addEventListener(event, apply);
  form.addEventListener("submit", event => event.preventDefault());
  form.querySelector("[type=reset]").addEventListener("click", event => {
    event.preventDefault();
    form.reset();
    apply();
  });
  form.hidden = false;
  apply();
  const pages = document.getElementById("pages");
  if (!pages) return;
  let page = 1;
  const [previous, next] = pages.querySelectorAll("button");
  const label = () => {
    previous.disabled = page <= 1;
    next.disabled = page >= Number(pages.dataset.count);
    pages.querySelector("output").textContent = `page ${page} of ${pages.dataset.count}`;
  };
  // The files beside the page are scripts, which a browser loads without a server; each calls this.
  window.showEpisodes = (number, markup) => {
    if (number !== page) return;
    document.getElementById("list").innerHTML = markup;
    episodes = [...document.querySelectorAll("#list > .episode")];
    texts.clear();
    apply();
  };
  pages.addEventListener("click", event => {
    const step = Number(event.target.dataset.step);
    if (!step) return;
    page += step;
    label();
    const script = document.createElement("script");
    script.src = `${encodeURIComponent(pages.dataset.folder)}/${page}.js`;
    script.onload = () => script.remove();
    document.head.append(script);
  });
  pages.hidden = false;
  label();
})();
