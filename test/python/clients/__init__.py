"""One module a library: how each is asked, and how its own objects are read."""
