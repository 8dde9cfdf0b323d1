// Fetches /api/<path> and builds the same main part as the server. Lists grow by a button or by scrolling, as the shop says.
const root = document.getElementById("app"), style = "STYLE";
const record = p => `<li class=product><a href="/p/${p.id}"><img src="/i/${p.id}.png" alt=""></a><h3><a href="/p/${p.id}">${p.title}</a></h3><p class=price>€${p.price}</p></li>`;
const views = {
  home: d => `<main><h1>Welcome</h1><ul class=categories>${d.categories.map(c => `<li class=card><a href="/c/${c.id}"><img src=/i/c.png>${c.name}</a></li>`).join("")}</ul></main>`,
  list: d => `<main><h1>${d.category}</h1><p>${d.total} products</p><ul class=products>${d.products.map(record).join("")}</ul>` +
    (!d.more ? "" : style == "pages" ? `<a rel=next class=next href="/c/${d.key}?page=${d.page + 1}">Next</a>` : style == "more" ? `<button class=load-more>Load more</button>` : "") +
    (style == "numbers" ? `<ul class=pager>${[...Array(Math.ceil(d.total / 6)).keys()].map(n => `<li><button>${n + 1}</button></li>`).join("")}</ul>` : "") + `</main>`,
  detail: d => { const p = d.product; return `<main><div class=breadcrumb><a href="/">Home</a> &gt; <a href="/c/${p.category}">${p.category_name}</a></div><h1 class=title>${p.title}</h1><img src="/i/${p.id}.png"><p class=price>€${p.price}</p><p>SKU: <span class=sku>${p.sku}</span></p><p>Brand: <span class=brand>${p.brand}</span></p><div class=description>${p.description}</div><button>Add to cart</button></main>` },
};
async function api(page) {
  const sep = location.search ? location.search + "&" : "?";
  const shown = page > 1 ? page : Number(new URLSearchParams(location.search).get("page") || 1);
  const question = { operationName: "page", variables: { path: location.pathname, page: shown } };
  const answer = "API" == "post" ? await fetch("/graphql", { method: "POST", body: JSON.stringify(question) }) : await fetch("/api" + location.pathname + (page > 1 ? sep + "page=" + page : location.search));
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}
async function draw(given) {
  const d = given || await api(1);
  root.innerHTML = views[d.level](d.data);
  let page = d.data.page || 1, busy = false, more = d.data.more;
  async function grow() {
    if (busy || !more) return;
    busy = true;
    const next = await api(++page);
    root.querySelector(".products").insertAdjacentHTML("beforeend", next.data.products.map(record).join(""));
    more = next.data.more; busy = false;
    if (!more) root.querySelector(".load-more")?.remove();
  }
  if (d.level == "list" && style == "more") root.querySelector(".load-more")?.addEventListener("click", grow);
  if (d.level == "list" && style == "numbers") root.querySelectorAll(".pager button").forEach((b, n) => b.onclick = async () => {
    root.querySelector(".products").innerHTML = (await api(n + 1)).data.products.map(record).join("");
  });
  if (d.level == "list" && style == "scroll") addEventListener("scroll", () => { if (innerHeight + scrollY >= document.body.offsetHeight - 50) grow(); });
}
const next = document.getElementById("__NEXT_DATA__");
draw(next && JSON.parse(next.textContent).props.pageProps);
