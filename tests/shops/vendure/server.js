// A real Vendure in memory: node server.js PORT PRODUCTS.csv CATEGORIES.json ({slug: name}). Prints READY when it can be asked.
const { bootstrap, DefaultLogger, DefaultSearchPlugin, JobQueueService, LanguageCode, LogLevel } = require("@vendure/core");
const { populate } = require("@vendure/core/cli");
const { readFileSync } = require("fs");
const [port, products, categories] = process.argv.slice(2);
const config = {
  apiOptions: { port: Number(port), hostname: "127.0.0.1", adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: { tokenMethod: ["bearer"], superadminCredentials: { identifier: "tester", password: "tester" } },
  dbConnectionOptions: { type: "sqljs", autoSave: false, synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
  plugins: [DefaultSearchPlugin.init({ bufferUpdates: false })],
};
const filters = name => [{ code: "facet-value-filter", args: { facetValueNames: ["category:" + name], containsAny: false } }];
const named = Object.entries(JSON.parse(readFileSync(categories, "utf8")));
const initial = {
  defaultLanguage: LanguageCode.en, countries: [{ name: "United States", code: "US", zone: "Americas" }], defaultZone: "Americas",
  taxRates: [{ name: "Standard Tax", percentage: 0 }], shippingMethods: [], paymentMethods: [],
  collections: named.map(([slug, name]) => ({ name, slug, description: "", filters: filters(name) })),
};
const start = async () => { const app = await bootstrap(config); await app.get(JobQueueService).start(); return app; };
populate(start, initial, products).then(() => console.log("READY"), error => { console.error(error); process.exit(1); });
