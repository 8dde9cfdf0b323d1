"""What can be wrong with a query form and with what its provider says about it."""

from __future__ import annotations

from scout.errors import ScoutError


class FormError(ScoutError):
    """A query form, or a description of one, that cannot be used."""


class MetadataError(FormError):
    """DB.* metadata that cannot be used: malformed, contradictory, or too much of it."""


class ExpansionError(FormError):
    """A regular expression, or a form, that stands for more values than may be asked, or for endlessly many."""


class ContentError(FormError):
    """A DBContent document that cannot be used."""


class SoifError(FormError):
    """A text that is not in the Summary Object Interchange Format."""
