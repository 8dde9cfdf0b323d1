"""The shop's addresses: Oscar's own, its images, and a robots.txt as a shop has one."""

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.views import serve as serve_static
from django.http import HttpRequest, HttpResponse
from django.urls import include, path, re_path
from django.views.static import serve

ROBOTS = """User-agent: *
Disallow: /basket/
Disallow: /checkout/
Disallow: /accounts/
Disallow: /dashboard/
Disallow: /search/
"""


def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(ROBOTS, content_type="text/plain")


urlpatterns = [
    path("robots.txt", robots),
    path("i18n/", include("django.conf.urls.i18n")),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": settings.MEDIA_ROOT}),
    re_path(r"^static/(?P<path>.*)$", serve_static, {"insecure": True}),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
