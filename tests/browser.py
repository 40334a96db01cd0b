"""A browser that shows pages to tests as a person sees them, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

DESKTOP, PHONE = (1280, 900), (360, 740)
"""Width and height of a window, in pixels."""

_PROGRAMS = ("chromium", "chromedriver")


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    """Headless Chromium that can reach this machine and nothing else."""
    found = {name: shutil.which(name) for name in _PROGRAMS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed (Debian: apt install chromium chromium-driver)")
    options = ChromeOptions()
    options.binary_location = str(found["chromium"])
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    ):
        options.add_argument(argument)
    driver = Chrome(options=options, service=Service(found["chromedriver"]))
    driver.set_script_timeout(300)  # a machine that runs the other tests as well may take its time
    yield driver
    driver.quit()


def resize(driver: Chrome, size: tuple[int, int]) -> None:
    """Show pages in a window of this size; a window cannot be as narrow as a phone, but a screen can."""
    width, height = size
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )


def accessibility_faults(driver: Chrome) -> list[dict[str, Any]]:
    """What axe finds wrong with the page that is shown, as far as it is serious or critical."""
    driver.execute_script((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(done, error => done({error: `${error}`}))"
    )
    if "error" in found:
        raise RuntimeError(found["error"])
    return [
        {
            "id": fault["id"],
            "impact": fault["impact"],
            "where": [node["html"][:200] for node in fault["nodes"]],
        }
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
