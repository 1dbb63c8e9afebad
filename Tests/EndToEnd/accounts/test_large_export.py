"""A data export of more than 4 GiB, read by other programs."""

import os
import subprocess
import zipfile

import pytest

from instance import wait_until
from missed_check_ins import count
from people import Visitor
from pictures import ODD_PLACE

SIZE = (4 << 30) + 123_456_789


@pytest.mark.long
def test_an_export_above_4_gib_opens_with_other_programs(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    sam = Visitor(site).sign_in("sam@example.test")
    before = set(site.media())
    assert sam.write("Large.", files=[("a.jpg", ODD_PLACE.read_bytes())]).status == 303
    [original] = [path for path in set(site.media()) - before if "original_" in path.name]
    os.truncate(original, SIZE)
    page = "/settings/export"
    assert sam.post(page, {"csrf_token": sam.token(page)}).status == 303
    wait_until(lambda: count(site, "exports", "state = 'ready'") == 1, 300, "the export")
    [file] = (site.data / "media/exports").rglob("*.zip")
    assert file.stat().st_size > SIZE
    subprocess.run(["unzip", "-tqq", file], check=True)
    assert f" {SIZE} " in subprocess.check_output(["zipinfo", file], text=True)
    with zipfile.ZipFile(file) as archive:
        assert SIZE in [entry.file_size for entry in archive.infolist()]
        assert archive.testzip() is None
