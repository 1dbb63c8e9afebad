"""Connections to a database in either engine: a file of SQLite, or an address of PostgreSQL, whose
connections take the same statements, with `?` for each value."""

import ast
import contextlib
import re
import sqlite3

INSERT = re.compile(
    r"INSERT INTO (\w+) \(([^)]*)\)\s+VALUES \((.*?)\)(\s+ON CONFLICT DO NOTHING)?", re.S)


def connect(database):
    if isinstance(database, str):
        return ServerConnection(database)
    return sqlite3.connect(database, timeout=60)


def ask(database, question, *values):
    """The first value of the first row."""
    with contextlib.closing(connect(database)) as connection:
        return connection.execute(question, values).fetchone()[0]


def change(database, statement):
    with contextlib.closing(connect(database)) as connection:
        connection.execute(statement)
        connection.commit()


class ServerConnection:
    """A connection to PostgreSQL as the server's superuser. Rows are filled in by COPY; triggers and
    the checks of foreign keys don't run for them."""

    def __init__(self, address):
        # Only the rows about PostgreSQL need the driver.
        import psycopg

        self.connection = psycopg.connect(
            address, options="-c session_replication_role=replica")

    def execute(self, statement, values=()):
        return self.connection.execute(statement.replace("%", "%%").replace("?", "%s"), values)

    def executemany(self, statement, rows):
        """Copies the rows of an INSERT."""
        table, columns, values, skips = INSERT.fullmatch(statement.strip()).groups()
        cells = [None if cell == "?" else ast.literal_eval(cell)
                 for cell in re.split(r",\s*", values)]
        places = [place for place, cell in enumerate(cells) if cell is None]
        target = "incoming" if skips else table
        if skips:
            self.connection.execute(
                f"CREATE TEMPORARY TABLE incoming AS SELECT {columns} FROM {table} LIMIT 0")
        with self.connection.cursor().copy(f"COPY {target} ({columns}) FROM STDIN") as copy:
            if len(places) == len(cells):
                for row in rows:
                    copy.write_row(row)
            else:
                for row in rows:
                    for place, value in zip(places, row):
                        cells[place] = value
                    copy.write_row(cells)
        if skips:
            self.connection.execute(
                f"INSERT INTO {table} ({columns}) SELECT {columns} FROM incoming"
                " ON CONFLICT DO NOTHING")
            self.connection.execute("DROP TABLE incoming")

    def commit(self):
        self.connection.commit()

    def close(self):
        self.connection.close()
