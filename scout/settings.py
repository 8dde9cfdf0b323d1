"""Scout's settings: polite and safe by default. Every SCOUT_* setting that is read anywhere is declared here with its reason."""

# fmt: off
# One line a setting, with its reason: the formatter would break the longer ones.
BOT_NAME = "scout"
SPIDER_MODULES = ["scout.spiders"]
NEWSPIDER_MODULE = "scout.spiders"
COMMANDS_MODULE = "scout.commands"  # in this project only: other projects have `scout COMMAND`, or set it too
LOG_LEVEL = "WARNING"  # a person sees the progress and what is wrong; -L INFO says what happens
LOGSTATS_INTERVAL = 10.0  # a sign of life that a person sees
LOG_VERSIONS: list[str] = []  # `scrapy version -v` says them when they are asked for

# --- who we are -------------------------------------------------------------------------------------------------------
SCOUT_CONTACT = ""  # an address or URL at which a shop's operator reaches you; part of the user agent

# --- where things are kept --------------------------------------------------------------------------------------------
SCOUT_DATABASE = "sqlite:///scout.db"  # any SQLAlchemy URL; SQLite for one machine, PostgreSQL for many
SCOUT_RULES_DIR = "rules"  # <shop>.yaml and overlays; created at first use
SCOUT_SEGMENTER = "rjieba"  # splits Chinese titles into words: rjieba, jiojio (a CRF; GPLv3, 2 GB), or the path of a function of yours
SCOUT_HEAL = True  # where a shop's design has changed, find the new places from the stored offers and use those that are proven
SCOUT_PROPOSER_URL = ""  # an OpenAI-compatible endpoint (https://host/v1) that `scout heal` asks where empty fields stand; empty: none
SCOUT_PROPOSER_MODEL = ""  # the name of its model; the key comes from the environment (PROPOSER_KEY) and from nowhere else
SCOUT_PROPOSER_TIMEOUT = 30.0  # seconds for one answer; after one that fails or takes longer, nothing more is asked
SCOUT_LEARN_MAX_OFFERS = 150  # known offers whose pages are fetched for learning: more would strain the shop and teach nothing new
SCOUT_KEEP_PAGES = "products"  # whose text the database keeps, to extract again without fetching: products; all: lists too; none
SCOUT_PAGE_BUDGET = 1000.0  # megabytes for these texts in one database: about 50,000 pages; the oldest are deleted first; 0: no limit
SCOUT_REVIEW_AUTHOR_DAYS = 30  # days that the names of reviewers are kept after they were last read; 0: they never are
SCOUT_CONDITIONAL_REQUESTS = True  # ask for pages that are kept only if they have changed (If-None-Match, If-Modified-Since)
SCOUT_PERSIST_BATCH = 200  # offers in one transaction at most
SCOUT_PERSIST_LINGER = 0.1  # seconds that a batch waits to fill up: few enough that nobody notices
SCOUT_FRONTIER = True  # keep the crawl's requests in the database too: a killed crawl goes on where it was, and workers can share it
SCHEDULER = "scout.frontier.scheduler.FrontierScheduler"  # Scrapy's own where there is no frontier
SCOUT_DATABASE_PATIENCE = 60.0  # seconds that a crawl waits for a database that is away (a restart) before it stops

# --- politeness -------------------------------------------------------------------------------------------------------
ROBOTSTXT_OBEY = True
ROBOTSTXT_USER_AGENT = "Scout"  # the name that rules are looked up by, whatever else the user agent says
SCOUT_UCP_PROFILE = (  # who asks, for shops with a manifest for agents: the address of a profile, by default one that says what is used
    "data:application/json,%7B%22ucp%22:%7B%22version%22:%222026-04-08%22,%22capabilities%22:%7B%22dev.ucp.shopping.catalog.search%22:%5B%5D%7D%7D%7D"
)
SCOUT_CATALOGUE_SAMPLE = 60  # product pages that a shop's own catalogue is compared with before it is believed
SCOUT_OBEY_NOFOLLOW = True  # leave links alone that a shop marks rel=nofollow, and pages whose robots meta says so
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1.0
DOWNLOAD_DELAY_JITTER = 0  # at least a second is at least a second
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0  # then as slow as the shop answers
SCOUT_CLEAN_URLS = True  # fetch addresses without redirects and tracking, so that no shop counts Scout as a visitor somebody sent
SCOUT_TRACKING_PARAMETERS: list[str] = []  # further parameters that track, of your shops; "name*" for all that begin so
SCOUT_RETRY_ROUNDS = 2  # how often pages that failed or were refused are asked again at the end of a crawl; 0: never
SCOUT_RETRY_PAUSE = 60.0  # seconds before the first of these rounds; each further one waits four times as long
SCOUT_MAX_UNREAD = 0.0  # share of the addresses shown that may be unread in a crawl that ends with exit code 0; its state stays incomplete
SCOUT_RETRY_AFTER_MAX = 300.0  # seconds a shop may ask to wait before it gives a page; more ends the crawl, and the next start resumes it
SCOUT_FORMS_MIN_NEW = 0.5  # new offers a request below which a search form without metadata is asked no more
SCOUT_FORMS_MAX_QUERIES = 10_000  # queries to one form, counted before the first is sent: at a polite pace, three hours
SCOUT_SUMMARIZER_TOKEN = ""  # what a provider gave you for its local summarizer (DBContent), or for its configuration file (DB.ConfigFile)

# --- safety -----------------------------------------------------------------------------------------------------------
SCOUT_ALLOWED_TARGETS: list[str] = []  # further URLs whose scheme, host and port may lie in a local network, as the shop's own may
TWISTED_DNS_RESOLVER = "scrapy.resolver.CachingHostnameResolver"  # IPv6 too, which Scrapy's default does not know
PLAYWRIGHT_PROCESS_REQUEST_HEADERS = "scout.handlers.headers.browser_headers"  # no key and no cookie to what a page shows in a frame
REFERRER_POLICY = "strict-origin-when-cross-origin"  # what browsers do: another site does not learn which page led to it
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_HANDLERS = {
    **dict.fromkeys(("file", "data", "ftp", "s3")),  # http(s) only: a link must not read a local file
    **dict.fromkeys(("http", "https"), "scout.handlers.browser.BrowserHandler"),  # plain, and rendered where a request asks for it
}
REQUEST_FINGERPRINTER_CLASS = "scout.fetch.RouteFingerprinter"  # /#/item/7 and /#/item/8 are two pages
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 10 * 1024 * 1024  # no product page is larger; a list of a million links is
DOWNLOAD_WARNSIZE = 5 * 1024 * 1024
SCOUT_TRIAL_SIZE = 1_000_000  # characters from which a page is first read by a process that can be killed: most have a third
SCOUT_TRIAL_SECONDS = 10.0  # that it may take; a page that takes longer is rejected
REDIRECT_MAX_TIMES = 10

# --- components -------------------------------------------------------------------------------------------------------
ADDONS = {"scout.addon.AllSpidersAddon": 500}  # the user agent; another project wants scout.Addon, which changes Scout's spiders alone
DOWNLOADER_MIDDLEWARES = {
    "scout.middlewares.guard.GuardMiddleware": 10,  # first: nothing is asked of a target that is refused, not even its robots.txt
    "scout.middlewares.clean_url.CleanUrlMiddleware": 50,  # before robots.txt, which is asked about the address that is fetched
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scout.middlewares.robots.RobotsMiddleware": 100,
    "scout.middlewares.limits.CutOffMiddleware": 595,  # sees bodies before Scrapy unpacks them
    "scout.middlewares.limits.LimitsMiddleware": 585,  # and after
    "scout.middlewares.credentials.CredentialsMiddleware": 790,  # last: when a request has all its headers
    "scout.archive.conditional_requests.ConditionalRequestMiddleware": 570,  # to those above, an unchanged page looks fetched
    "scout.middlewares.render.RenderMiddleware": 540,  # sees what retries and redirects left
}
SPIDER_MIDDLEWARES = {
    "scout.middlewares.optouts.OptOutMiddleware": 20,  # after all that could add links
    "scout.archive.keep_pages.KeepPagesMiddleware": 15,  # a page is stored before it counts as read
    "scout.frontier.middleware.FrontierMiddleware": 5,  # next to the engine: it counts what really goes there
}
ITEM_PIPELINES = {
    "scout.pipelines.offers.OfferPipeline": 100,  # a page becomes its offer; your own pipelines see offers from 101 on
    "scout.pipelines.persist.PersistPipeline": 400,  # after all that may change or drop an offer
}
FEED_EXPORT_ENCODING = "utf-8"  # in JSON as well, where Scrapy writes \u00f6 for what people read as ö
FEED_EXPORTERS = {
    "csv": "scout.extensions.feeds.SafeCsvItemExporter",  # no text of a shop becomes a formula
    "xml": "scout.extensions.feeds.OfferXmlItemExporter",  # nor the name of an element
}
SCOUT_PROGRESS_INTERVAL = 60.0  # seconds between two lines about the progress where there is no terminal; 0: none, not even there
WARN_ON_GENERATOR_RETURN_VALUE = False  # or Scrapy parses the source of the callback for every page
SCOUT_COLLECT_EVERY = 5_000  # new objects between two garbage collections; Python's 700 cost a crawl a tenth of its time; 0: as it is
EXTENSIONS = {
    "scout.crawl.context.CrawlContext": 0,  # first: the others find in it what they share
    "scrapy.extensions.feedexport.FeedExporter": None,
    "scrapy.extensions.remote_control.RemoteControl": None,  # a server that runs code, and a quarter of a second of start-up
    "scout.extensions.feeds.OfferFeeds": 0,  # where Scrapy has its own: variants get rows, a failed write is a failed crawl
    "scout.extensions.collector.CollectorExtension": 200,
    "scout.extensions.monitoring.Monitoring": 300,
    "scout.extensions.changes.ChangeAlerts": 310,
    "scout.extensions.progress.ProgressExtension": 400,
    "scout.extensions.politeness.Politeness": 500,  # after AutoThrottle, whose delay it raises
}

# --- monitoring: a complete crawl against the last complete one of its shop -------------------------------------------
SCOUT_MONITOR_ITEMS = 0.2  # fail if the number of offers drops by more than this share; 1: never
SCOUT_MONITOR_COVERAGE = 0.1  # fail if a field's coverage drops by more than this (0.1: ten percentage points); 1: never
SCOUT_MONITOR_PRICE_LEVEL = 0.2  # fail if the median price of the same products changes by more than this share; 1: never
SCOUT_MONITOR_PRICE_CHANGES = 0.5  # fail if more than this share of the same products has another price; 1: never
SCOUT_MONITOR_PRICE_JUMPS = 0.05  # fail if more than this share of prices fell below a third or rose above three times; 1: never
SCOUT_MONITOR_CURRENCIES = 0.02  # fail if more than this share of prices is in another currency than before; 1: never
SCOUT_MONITOR_SAME_PAGE = 0.1  # fail if the share of addresses that show another one's product rises by more than this; 1: never
SCOUT_MONITOR_WEBHOOK = ""  # a URL that is told, as JSON, when a crawl fails
SCOUT_MONITOR_PROMETHEUS = ""  # a text file with all figures, for Prometheus' node exporter; {shop} in its path is the shop's name
SCOUT_CHANGES_WEBHOOK = ""  # a URL that is told, as JSON, what a complete crawl found changed; once each
SCOUT_REFRESH_BUDGET = 0  # requests a day that refreshes of one shop's prices may make; 0: no limit
SCOUT_REFRESH_STALE = 0.1  # chance that a price has changed since it was seen, above which a refresh reads its page
SCOUT_FLEET_DIR = "var/fleet"  # what the crawls of `scout fleet run` say, and which of them are running

# --- rendering --------------------------------------------------------------------------------------------------------
SCOUT_RENDER = "auto"  # auto: a browser where a page looks as if it needs one; compare: try the first pages of every level; never; always
SCOUT_BROWSER = ""  # the path of a Chromium; empty: the first one found
SCOUT_RENDER_TIMEOUT = 35.0  # seconds for one page, whatever it does; ending one that is stuck takes up to ten more
SCOUT_RENDER_OBEY_ROBOTS = True  # with ROBOTSTXT_OBEY: a page gets its scripts and data from its shop only where robots.txt allows it
SCOUT_RENDER_SETTLE = 8.0  # seconds that a page may go on changing before it is taken as it is
