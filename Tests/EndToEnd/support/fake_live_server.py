"""Replaces nginx as the receiver of stream updates: one that does not answer, or refuses all."""

import contextlib
import socketserver
import threading


class Door:
    """Accepts calls on the socket of an instance's live streams while it is open. `answer` is
    the status of each; None: it never answers."""

    def __init__(self, site, answer=None):
        self.path = site.data / "run/live.sock"
        self.real = self.path.with_suffix(".real")
        self.asked = []
        self.closing = threading.Event()
        door = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                line = self.rfile.readline().decode()
                while self.rfile.readline().strip():
                    pass
                door.asked.append(line.strip())
                if answer is None:
                    door.closing.wait()
                else:
                    self.wfile.write(
                        f"HTTP/1.1 {answer} No\r\nContent-Length: 0\r\n"
                        "Connection: close\r\n\r\n".encode())

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 100

        self.path.rename(self.real)
        self.server = Server(str(self.path), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Restores nginx's socket, which nginx had open all the time."""
        self.closing.set()
        self.server.shutdown()
        # Atomically: clients connect to one of the two.
        self.real.replace(self.path)
        self.server.server_close()


@contextlib.contextmanager
def no_door(site):
    """No listener at all."""
    path = site.data / "run/live.sock"
    path.rename(path.with_suffix(".real"))
    yield None
    path.with_suffix(".real").rename(path)
