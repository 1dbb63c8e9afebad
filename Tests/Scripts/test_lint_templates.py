"""`deploy/scripts/lint-templates.py`."""

import pytest


@pytest.fixture
def problems(script, tmp_path):
    """What is wrong with a page of this text, without the name of the file."""
    (tmp_path / "locales").mkdir()
    (tmp_path / "locales/en.json").write_text('{"wishes.title": "Wishes"}')
    (tmp_path / "mark.mustache").write_text("<svg></svg>")

    def look(text, name="page"):
        (tmp_path / f"{name}.mustache").write_text(text)
        found = script("lint-templates").problems(tmp_path)
        return [line.removeprefix(f"{tmp_path}/") for line in found]

    return look


@pytest.mark.parametrize("text", [
    '{{#rows}}<p{{#new}} class="new"{{/new}}>{{name}}<br>{{> mark}}</p>{{/rows}}',
    '{{<mark}}{{$size}}{{#big}}<b>{{t.wishes.title}}</b>{{/big}}{{/size}}{{/mark}}',
    '<input value="{{value}}"><!-- <p> -->',
])
def test_good_templates_pass(problems, text):
    assert problems(text) == []


@pytest.mark.parametrize("text, problem", [
    ("{{#rows}}\n<p></p>", "page.mustache:1: {{/rows}} is missing"),
    ("{{#rows}}{{#new}}{{/rows}}{{/new}}", "page.mustache:1: {{/rows}} where {{/new}} is expected"),
    ("\n{{/rows}}", "page.mustache:2: {{/rows}} where no closing tag is expected"),
    ("<div><p></div>", "page.mustache:1: </div> where </p> is expected"),
    ("<ul>\n<li>", "page.mustache:2: </li> is missing"),
    ("{{#big}}<b>{{/big}}x</b>", "page.mustache:1: {{/big}} where </b> is expected"),
    ("{{> marks}}", "page.mustache:1: there is no template marks"),
    ("{{t.wishes.titel}}", "page.mustache:1: there is no text wishes.titel"),
])
def test_each_kind_of_mistake_is_named_with_its_line(problems, text, problem):
    assert problems(text) == [problem]


def test_plain_text_of_a_mail_has_no_elements(problems):
    assert problems("a < b, <b>", name="mail.text") == []
