"""The commands of the page PostgreSQL, run on an instance and a server of their own."""

import shlex

import pytest
from documented_commands import commands
from people import Visitor
from test_backup import done, pairspot

SETTING = "PAIRSPOT_DATABASE_URL"


class Guide:
    """Runs the commands of a section, with the paths and the address of the test."""

    def __init__(self, site, server, shelf):
        self.site = site
        self.server = server
        self.shelf = shelf

    def run(self, lines, database):
        """`database` is what the settings name from the first command on that needs it; None is
        SQLite's file."""
        return "".join(self.do(line, database) for line in lines)

    def do(self, line, database):
        if line == "systemctl stop pairspot":
            self.site.stop()
            return ""
        if line == "systemctl start pairspot":
            self.set(database)
            self.site.start()
            return ""
        for old, new in [
                ("postgresql:///pairspot?host=/run/postgresql", self.url("pairspot")),
                ("/var/backups/pairspot", str(self.shelf)),
                ("/var/lib/pairspot", str(self.site.data))]:
            line = line.replace(old, new)
        words = shlex.split(line)
        if words[:3] == ["sudo", "-u", "postgres"]:
            self.server.run(*words[3:])
            return ""
        assert words[0] == "pairspot", line
        if words[1] == "restore":
            self.set(database)
        return done(pairspot(self.site, *words[1:]))

    def set(self, database):
        self.site.environment.pop(SETTING, None)
        if database:
            self.site.environment[SETTING] = self.url(database)

    def url(self, database):
        return self.server.url(database, user="pairspot")


@pytest.mark.sqlite("it begins with SQLite, and has a server of its own")
def test_an_instance_moves_to_postgresql_is_backed_up_and_restored_and_moves_back(
        own_site, postgresql, tmp_path):
    site = own_site(PAIRSPOT_DEMO="1")
    guide = Guide(site, postgresql, tmp_path / "shelf")
    posts = {}

    def write(words):
        posts[Visitor(site).sign_in("mei@example.test").write(words).made] = words

    def check():
        mei = Visitor(site).sign_in("mei@example.test")
        for path, words in posts.items():
            assert words in mei.get(path).text, path

    write("Written with SQLite")
    guide.run(commands("postgresql.md", "Create the database"), None)
    said = guide.run(commands("postgresql.md", "Move"), "pairspot")
    assert "tables are equal" in said and "no errors found" in said, said
    check()

    write("Written with PostgreSQL")
    site.stop()
    done(pairspot(site, "backup", guide.shelf))
    assert "the drill passed" in done(pairspot(site, "drill", guide.shelf))
    site.start()
    said = guide.run(commands("postgresql.md", "Back up and restore"), "pairspot2")
    assert "restored from" in said, said
    check()

    for file in site.data.glob("pairspot.sqlite*"):
        file.unlink()
    said = guide.run(commands("postgresql.md", "Move back"), None)
    assert "tables are equal" in said, said
    check()
    done(pairspot(site, "doctor"))
