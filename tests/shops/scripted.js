// The browser's half of the shops of scripted.py: views that are made of JSON, in the manners of several frameworks.
const KIND = "__KIND__", $ = id => document.getElementById(id), money = p => "$" + (p / 100).toFixed(2);
const get = async url => (await fetch(url)).json();
const ask = async (query, variables) => (await (await fetch("/shop-api", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query, variables }) })).json()).data;
const card = (href, p) => `<div class="card my-3"><a href="${href}"><img src="${p.image}" alt=""></a><div class="card-body"><a href="${href}"><h3>${p.name}</h3></a><h4>${money(p.price)}</h4></div></div>`;
const menu = (cats, to) => `<header><ul class="nav">${cats.map(c => `<li><a href="${to}${c.slug}">${c.name}</a></li>`).join("")}</ul></header>`;
const detail = (p, stock) => `<main><div class="row"><img src="${p.image}" alt="${p.name}"><div class="col"><h2>${p.name}</h2><h4>${money(p.price)}</h4><p>${p.description}</p><div>Status: ${stock}</div><button class="btn">Add To Cart</button></div></div></main>`;
const views = {
  async rest(path) {
    const [, kind, key] = path.split("/"), cats = await get("/api/categories"), top = menu(cats, "/category/");
    if (kind == "product") { const p = await get("/api/products/" + key); return top + detail(p, p.countInStock > 0 ? "In Stock" : "Out Of Stock"); }
    if (kind == "category") { const d = await get("/api/products?category=" + key); return top + `<main><h1>${d.title}</h1><div class="row">${d.products.map(p => card("/product/" + p._id, p)).join("")}</div></main>`; }
    return top + `<main><h1>Welcome</h1><div class="row">${cats.map(c => `<a class="tile" href="/category/${c.slug}"><img src="/i/c.png">${c.name}</a>`).join("")}</div></main>`;
  },
  async graphql(path) {
    const [, kind, key] = path.split("/"), page = Number(new URLSearchParams(location.search).get("page") || 1);
    const c = await ask("query GetCollections { collections { items { id name slug } } }", {}), top = menu(c.collections.items, "/collections/");
    if (kind == "products") {
      const { product: p } = await ask("query GetProduct($slug: String!) { product(slug: $slug) { id name slug description featuredAsset { preview } variants { id sku priceWithTax currencyCode stockLevel } } }", { slug: key }), v = p.variants[0];
      return top + detail({ ...p, price: v.priceWithTax, image: p.featuredAsset?.preview }, v.stockLevel == "OUT_OF_STOCK" ? "Out of stock" : "In stock");
    }
    if (kind == "collections") {
      const { search: s } = await ask("query Search($input: SearchInput!) { search(input: $input) { totalItems items { productName slug priceWithTax { ... on SinglePrice { value } ... on PriceRange { min } } productAsset { preview } } } }", { input: { collectionSlug: key, take: 6, skip: 6 * (page - 1) } });
      const next = page * 6 < s.totalItems ? `<a class="next" href="/collections/${key}?page=${page + 1}">Next</a>` : "";
      return top + `<main><h1>${key}</h1><div class="grid">${s.items.map(i => card("/products/" + i.slug, { name: i.productName, price: i.priceWithTax.value ?? i.priceWithTax.min, image: i.productAsset?.preview })).join("")}</div>${next}</main>`;
    }
    return top + `<main><h1>Welcome</h1>${c.collections.items.map(c => `<a class="tile" href="/collections/${c.slug}"><img src="/i/c.png">${c.name}</a>`).join("")}</main>`;
  },
  async hash() {
    const [, kind, key] = (location.hash || "#/").slice(1).split("/"), cats = await get("/data/categories.json"), top = menu(cats, "#/c/");
    if (kind == "item") { const p = await get(`/data/items/${key}.json`); return top + detail(p, p.soldOut ? "Sold out" : "Available"); }
    if (kind == "c") { const d = await get(`/data/lists/${key}.json`); return top + `<main><h1>${d.title}</h1><div class="row">${d.items.map(p => card("#/item/" + p.id, p)).join("")}</div></main>`; }
    return top + `<main><h1>Welcome</h1><div class="row">${cats.map(c => `<a class="tile" href="#/c/${c.slug}"><img src="/i/c.png">${c.name}</a>`).join("")}</div></main>`;
  },
  async cards() {
    const products = await get("/api/products");
    return `<header><b>Corner Store</b></header><main><h1>All products</h1><div class="shelf">${products.map(p => `<div class="shelf-item"><div class="thumb"><img src="${p.image}"></div><p class="name">${p.name}</p><div class="price">${money(p.price)}</div><button class="buy">Add to cart</button></div>`).join("")}</div></main>`;
  },
};
async function fill() {
  const at = name => document.querySelector(`[data-${name}]`);
  if (KIND == "price" && at("goods-id")) { const name = "jsonp" + Date.now(), script = document.createElement("script"); window[name] = a => $("jsPrice").textContent = "¥" + a.result.salePrice; script.src = `/gateway/price?goodsId=${at("goods-id").dataset.goodsId}&callback=${name}`; document.head.append(script); }
  if (KIND == "stock" && at("sku")) { const a = await get("/ajax/stock/" + at("sku").dataset.sku); $("stock").textContent = a.quantity > 0 ? "In stock" : "Sold out"; }
  const tab = document.querySelector("[role=tab][href='#text']");
  if (tab) tab.onclick = async e => { e.preventDefault(); $("delivery").hidden = true; $("text").hidden = false; $("text").innerHTML = (await get("/ajax/text/" + at("sku").dataset.sku)).html; };
  if (KIND == "jd" && window.pageConfig) { const a = await get("/prices/mgets?skuIds=J_" + pageConfig.product.skuid + "&type=1"); document.querySelector(".p-price .price").textContent = a[0].p; }
  if (KIND == "more" || KIND == "scroll") {
    const list = document.querySelector("[data-list]"); let n = 1, busy = false, left = true;
    const grow = async () => { if (busy || !left) return; busy = true; const a = await get(`/more?list=${list.dataset.list}&p=${++n}`); list.insertAdjacentHTML("beforeend", a.items.map(p => card("/p/" + p.slug, p)).join("")); left = a.hasMore; busy = false; if (!left) $("more")?.remove(); };
    if (list) KIND == "more" ? $("more")?.addEventListener("click", grow) : addEventListener("scroll", () => { if (innerHeight + scrollY >= document.body.offsetHeight - 50) grow(); });
  }
}
const draw = async () => { $("root").innerHTML = await views[KIND](location.pathname); };
views[KIND] ? (draw(), addEventListener("hashchange", draw)) : fill();
