"""The addresses of the studio and what answers at each."""

from __future__ import annotations

import mimetypes
from importlib.resources import files

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from scout.studio import crawl_views, match_views, offer_views, page_views, rules_views, shop_views, structure_views
from scout.studio.guard import StudioGuard
from scout.studio.workshop import Asked, Refused, Workshop, answering

READ, WRITE = ["GET"], ["POST"]


def studio_app(workshop: Workshop) -> Starlette:
    """The web application of this workshop."""
    routes = [
        Route("/", answering(shop_views.list_shops), methods=READ),
        Route("/shop", answering(shop_views.show_shop), methods=READ),
        Route("/offers", answering(offer_views.list_offers), methods=READ),
        Route("/offers/{offer:int}", answering(offer_views.show_offer), methods=READ),
        Route("/pages/{page:int}", answering(page_views.show_page), methods=READ),
        Route("/pages/{page:int}/frame", answering(page_views.show_frame), methods=READ),
        Route("/pages/{page:int}/effect", answering(page_views.show_effect), methods=READ),
        Route("/pages/{page:int}/rule", answering(page_views.save_rule, writes=True), methods=WRITE),
        Route("/pages/{page:int}/override", answering(page_views.save_override, writes=True), methods=WRITE),
        Route("/pages/{page:int}/structure", answering(structure_views.show_structure), methods=READ),
        Route("/pages/{page:int}/alike", answering(structure_views.show_alike), methods=READ),
        Route("/pages/{page:int}/mark", answering(structure_views.save_mark, writes=True), methods=WRITE),
        Route("/corrections", answering(page_views.show_correction), methods=READ),
        Route("/rules/restore", answering(page_views.restore_rules, writes=True), methods=WRITE),
        Route("/shops/add", answering(crawl_views.add_shop, writes=True), methods=WRITE),
        Route("/crawls/start", answering(crawl_views.start_crawl, writes=True), methods=WRITE),
        Route("/crawls/stop", answering(crawl_views.stop_crawl, writes=True), methods=WRITE),
        Route("/crawls/watch", answering(crawl_views.watch_crawl), methods=READ),
        Route("/matches", answering(match_views.show_match), methods=READ),
        Route("/matches/decide", answering(match_views.decide_match, writes=True), methods=WRITE),
        Route("/matches/again", answering(match_views.compare_again), methods=WRITE),
        Route("/rules", answering(rules_views.show_rules), methods=READ),
        Route("/static/{name}", answering(_static_file), methods=READ),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(StudioGuard, keys=workshop.keys)])
    app.state.workshop = workshop
    return app


def _static_file(workshop: Workshop, asked: Asked) -> Response:
    name = asked.names["name"]
    file = files("scout.studio") / "static" / name
    if "/" in name or "\\" in name or name.startswith(".") or not file.is_file():
        raise Refused(404, "There is no such file.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(file.read_bytes(), media_type=kind)
