"""A mail server that stores received mail."""

from aiosmtpd.controller import Controller

from instance import free_port


class Sink:
    def __init__(self, port=None):
        self.envelopes = []
        self.port = port or free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self.controller.start()

    def stop(self):
        self.controller.stop()

    async def handle_DATA(self, server, session, envelope):
        self.envelopes.append(envelope)
        return "250 taken"
