"""`deploy/scripts/lint-examples.py`."""

import pytest

RULES = """
enum Rules {
  static func name(_ entered: String, limits: Int, _ errors: inout [String: Int]) -> String {}
  func rows(_ query: Query, make: (Int) -> Int) {}
}
"""
OTHERS = """
struct Photo {
  let size: Int
}
struct Other {
  init(_ text: String, count: Int = 3) {}
}
enum State {
  case ready, waiting(until: Int)
}
"""


@pytest.fixture
def problems(script, tmp_path):
    """What is wrong with a page of this text, without the name of the file."""
    for name in ["Sources", "docs/developer"]:
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "Sources/Rules.swift").write_text(RULES)
    (tmp_path / "Sources/Others.swift").write_text(OTHERS)

    def look(text):
        page = tmp_path / "docs/developer" / "page.md"
        page.write_text(text)
        return [line.removeprefix(f"{page}:") for line in script("lint-examples").problems(tmp_path)]

    return look


@pytest.mark.parametrize("code", [
    'Rules.name(form["a, b"], limits: max(1, 2), &errors)  // name(most: 1)',
    'rows("SELECT \\(Photo(size: 1).size)") { $0 }',
    'Other("x") == Other("x", count: 1)',
    '.waiting(until: 1) != .ready',
    'func added(to place: Int) {}\nadded(to: 1)',
    '@Test("x")\n#expect(true)',
])
def test_good_examples_pass(problems, code):
    assert problems(f"```swift\n{code}\n```\n") == []


@pytest.mark.parametrize("code, problem", [
    ("Rules.name(a, most: 1, &errors)", "no name takes (_:most:_:)"),
    ("Rules.name(a, &errors)", "no name takes (_:_:)"),
    ("Photo.name(a, limits: 1, &errors)", "there is no Photo.name"),
    ('rows("\\(Photo(width: 1))") { $0 }', "no Photo takes (width:)"),
    ("Other(count: 1)", "no Other takes (count:)"),
    ("Nothing()", "there is no type Nothing"),
    ("rules.title(a)", "there is no title"),
    ("photo.width", "there is no width"),
])
def test_what_the_sources_do_not_declare_is_named_with_its_line(problems, code, problem):
    assert problems(f"\n```swift\n{code}\n```\n") == [f"3: {problem}"]


@pytest.mark.parametrize("text, problem", [
    ("`Rules.name` and `count: true`", None),
    ("`Rules.title`", "1: there is no Rules.title"),
    ("`isNever: true`", "1: nothing takes isNever:"),
    ("`Sources/Rules.swift`", None),
    ("`Sources/Nothing.swift`", "1: there is no Sources/Nothing.swift"),
])
def test_names_in_the_text_are_looked_up_too(problems, text, problem):
    assert problems(text) == ([problem] if problem else [])
