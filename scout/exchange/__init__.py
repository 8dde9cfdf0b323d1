"""Scout's answers in the forms that other programs know: published JSON Schemas, schema.org, zyte-common-items and web-poet."""
