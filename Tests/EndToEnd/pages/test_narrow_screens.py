"""Labels of tabs, choices and commands on the narrowest phones, with letters as wide as those of
DejaVu Sans, which is the only font of some systems."""

from test_pages import signed_in

LETTERS = "body, body * { letter-spacing: .09em !important; }"
LABELS = (".tabs li a, .tabs-label, .segments span, .room-tabs a, .album-tabs a, .workout-kinds a,"
          " .group-calls > *, .photo-action")
OVERFLOWING = """(labels) => [...document.querySelectorAll(labels)]
  .filter((label) => label.checkVisibility() && label.scrollWidth > label.clientWidth + 1)
  .map((label) => `${label.className} ${label.innerText}`)"""


def test_no_label_is_wider_than_its_place(site, mei, new_page):
    group = "/groups/" + mei.get("/groups").text.split('href="/groups/')[1].split('"')[0]
    photo = "/album/" + mei.get("/album").text.split('<a href="/album/')[1].split('"')[0]
    page = new_page(viewport={"width": 320, "height": 640}, bypass_csp=True)
    signed_in(page, site)
    for path in ["/", "/checkin", "/album", photo, "/workouts", "/workouts/add", "/groups", group,
                 "/settings/language"]:
        page.goto(path)
        page.add_style_tag(content=LETTERS)
        assert page.evaluate(OVERFLOWING, LABELS) == [], path
