"""What a shop's pages are and where they lead: records, pagers, categories, URL rules, identity, completeness."""
