"""Workouts typed in, imported and exported: with plain requests, and by hand in a browser. The
files are written by Garmin's own encoder, and exported files are read by tcxreader."""

import io
import secrets
import zipfile
from datetime import timedelta

import pytest
from tcxreader.tcxreader import TCXReader

from people import Visitor
from test_pages import check, signed_in, wait_for_script
from test_workout_files import START, garmin

KINDS = {"heart_rate": "hr_value", "cadence": "cadence", "distance": "distance"}


@pytest.fixture
def sam(site):
    return Visitor(site).sign_in("sam@example.test")


def ride(tmp_path, chain=1):
    """A new FIT file, and its contents."""
    file = tmp_path / f"ride-{secrets.token_hex(4)}.fit"
    seed = secrets.randbits(32)
    print("seed:", seed)
    # In a minute of its own: workouts with equal start and duration are duplicates.
    first = START + timedelta(minutes=secrets.randbelow(28 * 24 * 60))
    expected = garmin(file, seed, chain, first)
    return file, expected


def brought(visitor, *files):
    fields = {"csrf_token": visitor.token("/workouts/import")}
    return visitor.post("/workouts/import", fields, [
        ("file", getattr(file, "name", "a.fit").split("/")[-1],
         file if isinstance(file, bytes) else file.read_bytes()) for file in files])


def test_a_watchs_file_comes_in_by_the_page_and_goes_out_as_tcx_without_loss(tmp_path, sam):
    file, [(start, length, samples)] = ride(tmp_path)
    page = brought(sam, file).location
    assert page.startswith("/workouts/")
    sent = sam.get(f"{page}.tcx")
    assert sent.headers["Content-Type"] == "application/vnd.garmin.tcx+xml"
    assert sent.headers["Content-Disposition"].startswith('attachment; filename="pairspot-2026-03-')
    out = tmp_path / "out.tcx"
    out.write_bytes(sent.body)
    exercise = TCXReader().read(str(out), only_gps=False)
    assert (exercise.activity_type, exercise.calories) == ("Biking", 321)
    assert exercise.distance == pytest.approx(12345.25)
    seen = {kind: [None] * length for kind in [*KINDS, "power"]}
    for point in exercise.trackpoints:
        second = int((point.time.timestamp() if point.time.tzinfo else
                      point.time.replace(tzinfo=start.tzinfo).timestamp()) - start.timestamp())
        if second < length:
            for kind, name in KINDS.items():
                seen[kind][second] = getattr(point, name)
            seen["power"][second] = point.tpx_ext.get("Watts")
    for kind, values in seen.items():
        assert values == samples[kind], kind


@pytest.mark.parametrize("ending, other_ending", [("tcx", "csv"), ("csv", "tcx")])
def test_what_goes_out_comes_in_again_as_the_same(tmp_path, site, sam, ending, other_ending):
    page = brought(sam, ride(tmp_path)[0]).location
    other = Visitor(site).sign_in("jun@example.test")
    first = sam.get(f"{page}.{ending}").body
    assert other.get(f"{page}.{ending}").status == 404
    again = brought(other, first).location
    assert other.get(f"{again}.{ending}").body == first
    for file in [first, sam.get(f"{page}.{other_ending}").body]:
        twice = brought(other, file)
        assert twice.status == 200 and 'data-state="duplicate"' in twice.text


def test_many_files_at_once_are_each_judged_by_themselves(tmp_path, sam):
    good, _ = ride(tmp_path)
    chained, _ = ride(tmp_path, chain=3)
    cut = good.read_bytes()[:-40]
    answer = brought(sam, good, chained, cut, b"nothing of the kind", good)
    assert answer.status == 422
    assert answer.text.count('data-state="stored"') == 4
    assert answer.text.count('data-state="duplicate"') == 1
    assert answer.text.count('data-state="refused"') == 2
    assert "4 workouts imported" in answer.text


HOSTILE = {
    "bomb": (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY a%d "&a%d;&a%d;">' % (n, n - 1, n - 1) for n in range(1, 40)).replace(
            b"&a0;", b"&a;") + b"]><TrainingCenterDatabase>&a39;</TrainingCenterDatabase>"),
    "outside": (b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
                b"<TrainingCenterDatabase>&a;</TrainingCenterDatabase>"),
    "deep": b"<a>" * 3_000_000,
    "zeros": bytes(29_000_000),
    "table": b"time,power\n" + b"0,1\n" * 7_000_000,
    "large": b"<" + b"a" * 100_000_000,
    "name": b"\x0e\x20\x00\x00\xff\xff\xff\x7f.FIT\x00\x00" + bytes(1000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_words(sam, name):
    answer = brought(sam, HOSTILE[name])
    assert answer.status == 422 and 'data-state="refused"' in answer.text
    assert "root:" not in answer.text


def test_all_workouts_come_as_one_archive(tmp_path, sam):
    brought(sam, ride(tmp_path)[0])
    answer = sam.get("/workouts/export.zip")
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names and {name.split(".")[-1] for name in names} == {"tcx", "csv"}
        assert len([n for n in names if n.endswith(".csv")]) == len(names) / 2
        assert b"TrainingCenterDatabase" in archive.read(
            next(name for name in names if name.endswith(".tcx")))


def typed(visitor, **changes):
    form = visitor.get("/workouts/add").form("/workouts/add")
    return form, visitor.post("/workouts/add", form | {
        "device_type": "rower", "day": "2026-03-04", "time": "07:15", "duration": "30",
        "distance": "6.5", "energy": "310"} | changes)


def test_a_typed_workout_sent_twice_is_one(sam):
    form, first = typed(sam)
    assert first.status == 303
    again = sam.post("/workouts/add", form | {
        "device_type": "rower", "day": "2026-03-04", "time": "07:15", "duration": "30",
        "distance": "6.5", "energy": "310"})
    assert again.location == first.location
    lines = sam.get(f"{first.location}.csv").text.split("\r\n")
    assert "duration_s,1800" in lines and "total_distance_m,6500" in lines and "device_type,rower" in lines


def test_by_hand_a_workout_is_typed_in_and_mistakes_keep_what_was_typed(site, new_page):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/workouts/add")
    page.locator("label", has_text="Rower").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.locator("input[value=rower]").is_checked()
    page.locator("#time").fill("06:10")
    page.locator("#duration").fill("25")
    page.locator("summary", has_text="Heart rate").click()
    page.locator("#avg_hr").fill("500")
    page.get_by_role("button", name="Save").click()
    page.locator("#avg_hr[aria-invalid]").wait_for()
    assert page.locator("#duration").input_value() == "25"
    check(page)


def test_by_hand_a_typed_workout_is_corrected_and_others_keep_their_figures(
        site, new_page, tmp_path, sam):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto(typed(sam)[1].location)
    page.get_by_role("link", name="Edit workout").click()
    assert page.locator("#duration").input_value() == "30:00"
    check(page)
    page.locator("#duration").fill("x")
    page.get_by_role("button", name="Save").click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.locator("#duration").input_value() == "x"
    check(page)
    page.locator("#duration").fill("31:15")
    page.locator("#distance").fill("7.5")
    page.get_by_role("button", name="Save").click()
    figures = page.get_by_test_id("figures")
    figures.wait_for()
    assert "31:15" in figures.inner_text() and "7.5" in figures.inner_text()
    page.goto(brought(sam, ride(tmp_path)[0]).location + "/edit")
    assert page.locator("#title").count() == 1 and page.locator("#duration").count() == 0


@pytest.mark.parametrize("scripts", [True, False])
def test_by_hand_files_are_imported_with_and_without_scripts(site, new_page, tmp_path, scripts):
    page = new_page(java_script_enabled=scripts)
    if scripts:
        signed_in(page, site, "sam@example.test")
    else:
        page.goto("/sign-in")
        page.locator("#email").fill("sam@example.test")
        page.locator("#password").fill(site.demo_password())
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url(f"{site.url}/")
    (good, _), (chained, _) = ride(tmp_path), ride(tmp_path, chain=2)
    bad = tmp_path / "notes.txt"
    bad.write_text("bought milk")
    page.goto("/workouts/import")
    if scripts:
        wait_for_script(page, "upload.js")
    page.locator("#file").set_input_files([good, chained, bad])
    # With scripts, choosing the files sends them.
    if not scripts:
        page.get_by_role("button", name="Import", exact=True).click()
    result = page.get_by_test_id("import-result")
    result.wait_for()
    assert page.get_by_test_id("imported-file").count() == 3
    assert result.locator("[data-state=stored]").count() == 3
    assert result.locator("[data-state=refused]").count() == 1
    if scripts:
        check(page)


def test_a_single_imported_workout_is_shown_with_its_stylesheets(site, new_page, tmp_path):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/workouts/import")
    wait_for_script(page, "upload.js")
    page.locator("#file").set_input_files(ride(tmp_path)[0])
    page.locator("[data-workout-detail]").wait_for()
    after_swap = page.evaluate(STYLES)
    page.reload()
    assert after_swap == page.evaluate(STYLES)


def test_an_import_that_was_cut_off_goes_on_by_its_button(site, new_page, tmp_path):
    page = new_page(service_workers="block")
    signed_in(page, site, "sam@example.test")
    page.goto("/workouts/import")
    wait_for_script(page, "upload.js")
    page.route("**/workouts/import", lambda route: route.abort())
    page.locator("#file").set_input_files(ride(tmp_path)[0])
    page.locator("dialog").get_by_role("button").click()
    page.unroute("**/workouts/import")
    page.get_by_role("button", name="Import", exact=True).click()
    page.locator("[data-workout-detail]").wait_for()


STYLES = """() => ({
  sheets: [...document.styleSheets].map((sheet) => sheet.href),
  line: getComputedStyle(document.querySelector("main svg path")).fill,
})"""
