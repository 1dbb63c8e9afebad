"""Concurrent readers, with wrk: every answer is checked on arrival."""

import re
import signal
import subprocess

SCRIPT = """
local mark = [==[{mark}]==]
local threads = {{}}
function setup(thread) table.insert(threads, thread) end
function init(arguments) right = 0; wrong = 0; seen = "" end
function response(status, headers, body)
  if status == 200 and string.find(body, mark, 1, true) then
    right = right + 1
  else
    wrong = wrong + 1
    seen = status .. " " .. string.sub(body, 1, 200)
  end
end
function done(summary, latency, requests)
  local good, bad, last = 0, 0, ""
  for _, thread in ipairs(threads) do
    good = good + thread:get("right")
    bad = bad + thread:get("wrong")
    last = last .. thread:get("seen")
  end
  local errors = summary.errors
  io.write(string.format(
    "right %d wrong %d broken %d\\n", good, bad,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
  io.write(last, "\\n")
end
"""


class Wrk:
    """32 connections that request one page while this context is entered; all answers must be
    200 and contain a mark."""

    def __init__(self, folder, url, mark, headers):
        script = folder / "answers.lua"
        script.write_text(SCRIPT.format(mark=mark))
        self.command = ["wrk", "-t2", "-c32", "-d3600s", "--timeout", "30s", "-s", str(script)]
        for name, value in headers.items():
            self.command += ["-H", f"{name}: {value}"]
        self.command.append(url)
        self.process = self.said = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return self

    def __exit__(self, *_):
        # It ends as if its time were over, and prints its results.
        self.process.send_signal(signal.SIGINT)
        try:
            self.said = self.process.communicate(timeout=60)[0]
        finally:
            self.process.kill()

    def check(self, least):
        """All its answers were right, and there was at least one."""
        print(self.said)
        assert self.process.returncode == 0, self.said
        found = re.search(r"right (\d+) wrong (\d+) broken (\d+)", self.said)
        right, wrong, broken = map(int, found.groups())
        assert (wrong, broken) == (0, 0) and right > least, self.said
