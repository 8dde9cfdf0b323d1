"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 25;
  const numbers = new Intl.NumberFormat(data.language);
  const money = new Intl.NumberFormat(data.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const order = new Intl.Collator(data.language, { numeric: true, sensitivity: "base" });
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  const element = (tag, properties = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in made) made[name] = value; else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };

  // What a cell says, and what it is sorted by.
  const text = (column, row) => {
    const value = row[column.slot];
    if (value === null || value === undefined || column.type === "evidence") return "";
    if (column.type === "list") return column.list[value];
    if (column.type === "number") return numbers.format(value);
    if (column.type === "money") return `${money.format(value)} ${column.list[row[column.currency]]}`.trim();
    return String(value);
  };
  const isNumber = (column) => column.type === "money" || column.type === "number";

  const comparison = (column, ranks) => {
    if (isNumber(column)) {
      return (a, b) => {
        const x = a[column.slot], y = b[column.slot];
        return x === y ? 0 : x === null ? 1 : y === null ? -1 : x - y;
      };
    }
    if (column.type === "list") return (a, b) => ranks[a[column.slot]] - ranks[b[column.slot]];
    return (a, b) => order.compare(text(column, a), text(column, b));
  };
  const listRanks = (column) => {
    const sorted = column.list.map((name, index) => [name, index]).sort((a, b) => order.compare(a[0], b[0]));
    const ranks = [];
    sorted.forEach(([, index], rank) => { ranks[index] = rank; });
    return ranks;
  };

  // Where each value comes from: [name of the field, place, text there], the first two as numbers into lists.
  const evidence = (column, values) => {
    const made = element("details", { className: "evidence" }, element("summary", {}, numbers.format(values.length)));
    made.addEventListener("toggle", () => {
      if (made.childElementCount > 1) return;
      made.append(element("dl", {}, ...values.map(([name, place, raw]) => element("div", {},
        element("dt", {}, column.fields[name]), element("dd", {}, element("code", {}, column.places[place]), raw ? ` ${raw}` : "")))));
    });
    return made;
  };

  const cell = (column, row, isFirst) => {
    const made = element("td", { "data-label": column.label });
    if (isNumber(column)) made.className = "n";
    if (column.type === "code") made.className = "code";
    if (isFirst) made.className = "wide";
    const picture = column.image === undefined ? "" : row[column.image];
    if (/^https?:\/\//i.test(picture)) {
      made.append(element("img", { src: picture, alt: "", loading: "lazy", referrerPolicy: "no-referrer", className: "thumbnail" }));
    }
    if (column.type === "evidence") {
      if (row[column.slot]) made.append(evidence(column, row[column.slot]));
      return made;
    }
    const said = text(column, row);
    const address = column.url === undefined ? "" : row[column.url];
    if (column.type === "link" && /^https?:\/\//i.test(address)) {
      made.append(element("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, said));
    } else if (column.type === "local" && /^[\w.%~-]+\/[\w.%~-]+\.html$/.test(address)) {
      made.append(element("a", { href: address }, said));
    } else {
      made.append(said);
    }
    return made;
  };

  // The choices of a filter: [label, test of a row].
  const treeChoices = (column) => {
    const paths = new Set();
    for (const name of column.list) {
      const parts = name.split(" > ");
      for (let depth = 1; depth <= parts.length; depth++) paths.add(parts.slice(0, depth).join(" > "));
    }
    return [...paths].sort(order.compare).map((path) => {
      const inside = column.list.map((name) => name === path || name.startsWith(`${path} > `));
      return [path, (row) => inside[row[column.slot]]];
    });
  };
  const listChoices = (column) =>
    column.list.map((name, index) => [name, (row) => row[column.slot] === index]).sort((a, b) => order.compare(a[0], b[0]));
  const bandChoices = (column) => column.bands.map(([low, high, label]) => [label, (row) => {
    const price = row[column.slot];
    return price !== null && (low === null || price >= low) && (high === null || price < high);
  }]);
  const choicesOf = (column) => (column.tree ? treeChoices : column.bands ? bandChoices : listChoices)(column);

  const makeTable = (place) => {
    const { columns, rows } = data.tables[place.dataset.table];
    const state = { query: "", tests: new Map(), sorted: null, falling: false, page: 0, size: PAGE, shown: rows };
    let haystacks = null;

    const count = element("span", { className: "count", role: "status" });
    const body = element("tbody");
    const head = element("tr");
    const pageLabel = element("span", { className: "quiet" });
    const pager = element("div", { className: "pager" });
    const back = element("button", { type: "button", className: "plain" }, data.texts.previous);
    const forth = element("button", { type: "button", className: "plain" }, data.texts.next);
    const controls = element("div", { className: "controls" });
    const search = element("input", { type: "search", placeholder: data.texts.search, "aria-label": data.texts.search });
    const reset = element("button", { type: "button", className: "plain" }, data.texts.reset);
    const filters = new Map();

    const draw = () => {
      const pages = Math.max(1, Math.ceil(state.shown.length / state.size));
      state.page = Math.min(Math.max(0, state.page), pages - 1);
      const visible = state.shown.slice(state.page * state.size, (state.page + 1) * state.size);
      body.replaceChildren(...visible.map((row) => element("tr", {}, ...columns.map((column, index) => cell(column, row, index === 0)))));
      if (!visible.length) body.append(element("tr", {}, element("td", { colSpan: columns.length, className: "wide" }, data.texts.nothing_found)));
      count.textContent = fill(data.texts.showing, { shown: numbers.format(state.shown.length), total: numbers.format(rows.length) });
      pageLabel.textContent = fill(data.texts.page_of, { page: numbers.format(state.page + 1), pages: numbers.format(pages) });
      pager.hidden = pages === 1;
      back.disabled = state.page === 0;
      forth.disabled = state.page >= pages - 1;
    };

    const select = () => {
      const words = fold(state.query).split(/\s+/).filter(Boolean);
      if (words.length && !haystacks) haystacks = new Map(rows.map((row) => [row, fold(columns.map((column) => text(column, row)).join(" "))]));
      const tests = [...state.tests.values()];
      state.shown = rows.filter((row) => tests.every((test) => test(row)) && words.every((word) => haystacks.get(row).includes(word)));
      if (state.sorted !== null) {
        const column = columns[state.sorted];
        const compare = comparison(column, column.type === "list" ? listRanks(column) : null);
        const empty = (row) => isNumber(column) && row[column.slot] === null;
        state.shown.sort((a, b) => (empty(a) || empty(b) || !state.falling ? compare(a, b) : compare(b, a)));
      }
      state.page = 0;
      draw();
    };

    // The filters stand in the address, so that it can be sent to others: #missing?q=lamp&brand=Lumen
    const remember = () => {
      const asked = new URLSearchParams();
      if (state.query) asked.set("q", state.query);
      for (const { key, chooser, choices } of filters.values()) if (chooser.value !== "") asked.set(key, choices[Number(chooser.value)][0]);
      const said = asked.toString();
      history.replaceState(null, "", `#${place.parentElement.id}${said ? `?${said}` : ""}`);
    };

    columns.forEach((column, index) => {
      const button = element("button", { type: "button" }, column.label);
      const header = element("th", { scope: "col", "aria-sort": "none" }, button);
      if (isNumber(column)) header.className = "n";
      button.addEventListener("click", () => {
        state.falling = state.sorted === index && !state.falling;
        state.sorted = index;
        for (const other of head.children) other.setAttribute("aria-sort", "none");
        header.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
        select();
      });
      head.append(header);
      if (!column.filter) return;
      const choices = choicesOf(column);
      const chooser = element("select", { "aria-label": column.label }, element("option", { value: "" }, column.filter));
      chooser.append(...choices.map(([label], position) => element("option", { value: String(position) }, label)));
      chooser.addEventListener("change", () => {
        if (chooser.value === "") state.tests.delete(index); else state.tests.set(index, choices[Number(chooser.value)][1]);
        select();
        remember();
      });
      filters.set(index, { key: column.key, chooser, choices });
    });

    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { state.query = search.value; select(); remember(); }, 120);
    });
    reset.addEventListener("click", () => {
      search.value = state.query = "";
      state.tests.clear();
      for (const { chooser } of filters.values()) chooser.value = "";
      select();
      remember();
    });
    const turn = (step) => { state.page += step; draw(); place.scrollIntoView({ block: "start" }); };
    back.addEventListener("click", () => turn(-1));
    forth.addEventListener("click", () => turn(1));

    controls.append(search, ...[...filters.values()].map(({ chooser }) => chooser), reset, count);
    place.replaceChildren(
      controls,
      element("div", { className: "rows" }, element("table", { "aria-label": place.dataset.label }, element("thead", {}, head), body)),
      pager,
    );
    pager.append(back, pageLabel, forth);
    draw();
    return {
      // Show the rows that an address asks for.
      show: (asked) => {
        search.value = state.query = asked.get("q") ?? "";
        state.tests.clear();
        for (const [index, { key, chooser, choices }] of filters) {
          const position = choices.findIndex(([label]) => label === asked.get(key));
          chooser.value = position < 0 ? "" : String(position);
          if (position >= 0) state.tests.set(index, choices[position][1]);
        }
        select();
        place.parentElement.scrollIntoView({ block: "start" });
      },
      showAll: (isAll) => { state.size = isAll ? Math.max(1, rows.length) : PAGE; state.page = 0; draw(); },
    };
  };

  const tables = {};
  for (const place of document.querySelectorAll("[data-table]")) tables[place.dataset.table] = makeTable(place);
  const follow = () => {
    const [id, asked] = location.hash.slice(1).split("?");
    if (asked !== undefined && Object.hasOwn(tables, id)) tables[id].show(new URLSearchParams(asked));
  };
  addEventListener("hashchange", follow);
  follow();
  const printing = (isPrinting) => { for (const table of Object.values(tables)) table.showAll(isPrinting); };
  addEventListener("beforeprint", () => {
    printing(true);
    for (const details of document.querySelectorAll("details:not(.evidence)")) details.open = true;
  });
  addEventListener("afterprint", () => printing(false));
})();
