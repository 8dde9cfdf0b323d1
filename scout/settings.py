"""Scout's settings: polite and safe by default. Every SCOUT_* setting that is read anywhere is declared here with its reason."""

BOT_NAME = "scout"
SPIDER_MODULES = ["scout.spiders"]
NEWSPIDER_MODULE = "scout.spiders"

# --- who we are -------------------------------------------------------------------------------------------------------
SCOUT_CONTACT = ""  # an address or URL at which a shop's operator reaches you; part of the user agent

# --- where things are kept --------------------------------------------------------------------------------------------
SCOUT_DATABASE = "sqlite:///scout.db"  # any SQLAlchemy URL; SQLite for one machine, PostgreSQL for many
SCOUT_RULES_DIR = "rules"  # <shop>.yaml and overlays; created at first use

# --- politeness -------------------------------------------------------------------------------------------------------
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1.0
AUTOTHROTTLE_ENABLED = True

# --- safety -----------------------------------------------------------------------------------------------------------
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 10 * 1024 * 1024  # no product page is larger; a list of a million links is
DOWNLOAD_WARNSIZE = 5 * 1024 * 1024

# --- rendering --------------------------------------------------------------------------------------------------------
SCOUT_RENDER = "auto"  # auto: a browser where a level needs one; never; always
SCOUT_BROWSER = ""  # the path of a Chromium; empty: the first one found
SCOUT_RENDER_TIMEOUT = 40.0  # seconds for one page, whatever it does
SCOUT_RENDER_SETTLE = 8.0  # seconds that a page may go on changing before it is taken as it is
