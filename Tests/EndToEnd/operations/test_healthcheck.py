"""An external monitor that is pinged after each successful scan, and so notices when none comes."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from instance import wait_until


def test_a_good_scan_calls_the_watcher_and_a_silent_watcher_harms_nothing(own_site):
    asked = []

    class Watcher(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200 if len(asked) == 1 else 500)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Watcher)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/ping/abc"
    try:
        site = own_site(PAIRSPOT_PING_URL=address)
        wait_until(lambda: asked, 20, "the watcher to be asked")
        site.stop()
        # The second answer is an error: the scan counts all the same.
        site.start()
        wait_until(lambda: len(asked) > 1, 20, "the watcher to be asked again")
        wait_until(site.is_healthy, 20, "the instance to be well")
    finally:
        server.shutdown()
    assert set(asked) == {"/ping/abc"}
