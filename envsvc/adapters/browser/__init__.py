"""The browser that follows tours: Chromium, driven by Playwright."""
