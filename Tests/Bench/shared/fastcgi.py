"""A minimal FastCGI client, for requests to handlers without a web server."""

import socket
import struct

BEGIN, END, PARAMETERS, INPUT, OUTPUT = 1, 3, 4, 5, 6


def record(kind, content):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def length(value):
    return bytes([value]) if value < 128 else struct.pack(">I", value | 1 << 31)


def ask(path, method, uri, headers=(), body=b"", timeout=120):
    """One request to a socket, like nginx's: the status and the whole answer."""
    parameters = {
        "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": "nginx", "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "REQUEST_METHOD": method,
        "REQUEST_URI": uri, "DOCUMENT_URI": uri.partition("?")[0],
        "QUERY_STRING": uri.partition("?")[2], "CONTENT_LENGTH": str(len(body)) if body else "",
        "CONTENT_TYPE": "application/x-www-form-urlencoded" if body else "",
        "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": "40000", "REQUEST_ID": "0" * 32,
        "HTTP_ACCEPT": "text/html"}
    for header in headers:
        name, value = header.split(": ", 1)
        parameters["HTTP_" + name.upper().replace("-", "_")] = value
    pairs = b"".join(
        length(len(name)) + length(len(value.encode())) + name.encode() + value.encode()
        for name, value in parameters.items())
    asked = record(BEGIN, struct.pack(">HB5x", 1, 0)) + record(PARAMETERS, pairs)
    asked += record(PARAMETERS, b"")
    if body:
        asked += record(INPUT, body)
    asked += record(INPUT, b"")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(str(path))
        connection.sendall(asked)
        answered = bytearray()
        while part := connection.recv(65536):
            answered += part
    out, place = bytearray(), 0
    while place + 8 <= len(answered):
        _, kind, _, size, padding = struct.unpack(">BBHHBx", answered[place:place + 8])
        if kind == OUTPUT:
            out += answered[place + 8:place + 8 + size]
        place += 8 + size + padding
    head, _, content = bytes(out).partition(b"\r\n\r\n")
    status = next((int(line.split()[1]) for line in head.split(b"\r\n")
                   if line.lower().startswith(b"status:")), 200)
    return status, head, content
