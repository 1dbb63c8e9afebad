"""`make add-text` (docs/developer/add-a-text.md)."""

import json

import pytest

BEFORE = {"wishes.title": "-", "wishes.lead": "-", "mail.wish.subject": "-", "blocks.title": "-"}
OPTIONS = {"KEY": "wishes.empty", "EN": "No wishes", "HANT": "沒有願望", "HANS": "没有愿望"}


@pytest.fixture
def catalogues(tmp_path):
    for file in ("en.json", "zh-Hant.json", "zh-Hans.json"):
        (tmp_path / file).write_text(json.dumps(BEFORE, ensure_ascii=False, indent=2) + "\n")
    return tmp_path


@pytest.fixture
def add(script, catalogues):
    module = script("add-text")

    def run(**options):
        """What each catalogue holds afterwards, or what was wrong."""
        try:
            module.add(catalogues, OPTIONS | options)
        except module.Refused as refused:
            return str(refused)
        return {
            file.stem: json.loads(file.read_text()) for file in sorted(catalogues.glob("*.json"))}

    return run


def test_a_text_stands_after_its_area_in_all_languages(add):
    found = add()
    assert {language: texts["wishes.empty"] for language, texts in found.items()} == {
        "en": "No wishes", "zh-Hant": "沒有願望", "zh-Hans": "没有愿望"}
    for texts in found.values():
        assert list(texts)[:4] == ["wishes.title", "wishes.lead", "wishes.empty", "mail.wish.subject"]


def test_files_change_by_the_new_line_alone(add, catalogues):
    before = (catalogues / "zh-Hant.json").read_text().splitlines()
    add()
    after = (catalogues / "zh-Hant.json").read_text().splitlines()
    assert [line for line in after if line not in before] == ['  "wishes.empty": "沒有願望",']


def test_the_longest_shared_area_decides(add):
    found = add(KEY="mail.wish.text")["en"]
    assert list(found).index("mail.wish.text") == list(found).index("mail.wish.subject") + 1


def test_a_new_area_stands_at_the_end(add):
    assert list(add(KEY="presents.title")["en"])[-1] == "presents.title"


def test_a_place_can_be_named(add):
    assert list(add(AFTER="wishes.title")["en"])[1] == "wishes.empty"


def test_plurals_have_two_forms_in_english_and_one_in_chinese(add):
    text = "{number} wishes"
    found = add(ONE="{number} wish", EN=text, HANT=text, HANS=text, BY="number")
    assert found["en"]["wishes.empty"] == {"one": "{number} wish", "other": text, "by": "number"}
    assert found["zh-Hans"]["wishes.empty"] == {"other": text, "by": "number"}


@pytest.mark.parametrize("options, reason", [
    ({"KEY": "wishes.title"}, "wishes.title is there already"),
    ({"KEY": "Wishes"}, "Wishes is no key"),
    ({"HANS": ""}, "missing: HANS="),
    ({"HANT": "{count} 個"}, "HANT has the parameters ['count'], EN has []"),
    ({"ONE": "{count} wish"}, "ONE has a parameter"),
    ({"AFTER": "nothing.here"}, "there is no key nothing.here"),
])
def test_what_is_wrong_is_refused_and_changes_nothing(add, catalogues, options, reason):
    assert reason in add(**options)
    for file in catalogues.glob("*.json"):
        assert json.loads(file.read_text()) == BEFORE
