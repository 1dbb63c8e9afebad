"""The pictures of the users' documentation and the front page (docs/developer/design.md)."""

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = CHECKOUT / "docs/user/images"
PICTURES = CHECKOUT / "public/pictures"


def test_each_picture_is_shown_in_both_themes():
    shown = set()
    for page in (CHECKOUT / "docs/user").glob("*.md"):
        shown |= set(re.findall(r'="images/([^"]+)"', page.read_text()))
    assert shown == {picture.name for picture in DOCUMENTS.iterdir()}
    assert all(name.replace("-light.", "-dark.") in shown for name in shown)


def test_pictures_are_small():
    sizes = [picture.stat().st_size for picture in [*DOCUMENTS.iterdir(), *PICTURES.iterdir()]]
    assert max(sizes) <= 60_000 and sum(sizes) < 3_000_000


def test_the_front_page_has_its_pictures_in_each_language_and_theme():
    page = (CHECKOUT / "templates/feed/front.mustache").read_text()
    names = set(re.findall(r"{{\$picture}}(\w+){{/picture}}", page))
    languages = [file.stem for file in (CHECKOUT / "templates/locales").glob("*.json")]
    assert {picture.name for picture in PICTURES.iterdir()} == {
        f"{name}-{language}-{theme}.webp"
        for name in names for language in languages for theme in ["light", "dark"]}
