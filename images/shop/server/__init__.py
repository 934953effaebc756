"""A small web shop: pages, forms, a JSON API, streams and files, in two releases."""
