#!/usr/bin/env python3
"""Look for contradictions on the shop's product pages with a real browser.

ENVSVC_PROXY=http://127.0.0.1:8080 python agent.py --views default,sorted --out findings.json
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Playwright, ProxySettings, sync_playwright
from playwright.sync_api import Error as BrowserError

from checks import Problem, changed_offers, problems

PRODUCTS = tuple(f"p{number:02}" for number in range(1, 13))
VIEWS = {"default": "", "sorted": "?sort=price"}
PAGE_TIMEOUT_MS = 15_000
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One contradiction and where it is."""

    page: str
    view: str
    kind: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One page that could not be read; that says nothing about the shop."""

    page: str
    view: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one round found."""

    findings: list[Finding]
    pages_opened: int
    pages_failed: list[Failure]


class Round:
    """One walk over product pages; collects as it goes."""

    def __init__(self, page: Page, base: str, screenshots: Path | None) -> None:
        self._page = page
        self._base = base
        self._screenshots = screenshots
        self._findings: list[Finding] = []
        self._failures: list[Failure] = []
        self._opened = 0

    def walk(self, views: Sequence[str]) -> Report:
        """Open every product in the given views, and judge what could be read."""
        for product in PRODUCTS:
            default_text = None
            for view in views:
                text = self._read(product, view)
                if text is None:
                    continue
                self._keep(product, view, found(view, text, default_text))
                default_text = text if view == "default" else default_text
        return Report(
            findings=self._findings, pages_opened=self._opened, pages_failed=self._failures
        )

    def _read(self, product: str, view: str) -> str | None:
        url = f"{self._base}/product/{product}{VIEWS[view]}"
        try:
            response = self._page.goto(url)
            if response is not None and response.ok:
                self._opened += 1
                return self._page.inner_text("body")
            reason = "no answer" if response is None else f"status {response.status}"
        except BrowserError as error:
            reason = error.message.splitlines()[0]
        self._failures.append(Failure(page=product, view=view, reason=reason))
        return None

    def _keep(self, product: str, view: str, new: list[Problem]) -> None:
        for problem in new:
            finding = Finding(page=product, view=view, **asdict(problem))
            self._findings.append(finding)
            if self._screenshots is not None:
                name = f"{product}-{view}-{problem.kind}.png"
                self._page.screenshot(path=self._screenshots / name, full_page=True)


def found(view: str, text: str, default_text: str | None) -> list[Problem]:
    """Judge one page, and compare a sorted view with the default view if that was read."""
    if view == "sorted" and default_text is not None:
        return [*problems(text), *changed_offers(default_text, text)]
    return problems(text)


def proxy_settings(environment: Mapping[str, str]) -> ProxySettings | None:
    """Return the proxy that the environment names, credentials apart; None for no proxy."""
    url = environment.get("ENVSVC_PROXY") or environment.get("HTTP_PROXY")
    if not url:
        return None
    parts = urlsplit(url)
    settings = ProxySettings(server=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")
    if parts.username is not None:
        settings["username"] = parts.username
        settings["password"] = parts.password or ""
    return settings


def launch(playwright: Playwright, executable: str) -> Browser:
    """Start Chromium behind the proxy."""
    return playwright.chromium.launch(
        executable_path=executable,
        args=CHROMIUM_ARGUMENTS,
        proxy=proxy_settings(os.environ),
    )


def views_in(text: str) -> list[str]:
    """Read `default,sorted`; the default view always comes first.

    Raises:
        argparse.ArgumentTypeError: a view has another name.
    """
    names = text.split(",")
    if unknown := set(names) - set(VIEWS):
        raise argparse.ArgumentTypeError(f"no such view: {', '.join(sorted(unknown))}")
    return [view for view in VIEWS if view in names]


def parse(arguments: list[str]) -> argparse.Namespace:
    """Turn command line text into options; argparse reports mistakes and exits with 2."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", default="http://shop.test")
    parser.add_argument("--views", type=views_in, default="default")
    parser.add_argument("--out", type=Path, default=Path("findings.json"))
    parser.add_argument("--screenshots", type=Path, help="folder for a picture per finding")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    return parser.parse_args(arguments)


def main() -> None:
    """Walk once and write the report."""
    options = parse(sys.argv[1:])
    if options.screenshots is not None:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, launch(playwright, options.browser) as browser:
        # The proxy ends TLS with a certificate of its own.
        page = browser.new_page(ignore_https_errors=True, locale="en-US", timezone_id="UTC")
        page.set_default_timeout(PAGE_TIMEOUT_MS)
        report = Round(page, options.base, options.screenshots).walk(options.views)
    options.out.write_text(json.dumps(asdict(report), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
