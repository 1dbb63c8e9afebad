import Foundation
import Testing

/// Mail servers on loopback (aiosmtpd): one for each way to connect. They end with the tests.
final class MailSink: Sendable {
  struct Ports: Decodable {
    let plain: Int
    let login: Int
    let starttls: Int
    let tls: Int
    let refusing: Int
    let away: Int
  }

  struct Envelope: Decodable {
    let from: String
    let to: [String]
    let greeting: String
    let login: String?
  }

  /// Started by the first test that needs it.
  private static let started = Result { try MailSink() }

  static var shared: MailSink {
    get throws { try started.get() }
  }

  let ports: Ports
  let certificate: String
  private let folder: URL
  private let process: Process
  private let lifeline: FileHandle

  private init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "pairspot-mail-sink-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.path + "/certificate.pem"
    process = Python.process(MailSinkProgram.text, [folder.path])
    let output = Pipe()
    let input = Pipe()
    process.standardOutput = output
    process.standardInput = input
    lifeline = input.fileHandleForWriting
    try process.run()

    var line = Data()
    while !line.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw Python.Failed(
          description: """
            The mail servers for the tests did not start with \(Python.executable). They need \
            aiosmtpd and openssl: python3 -m venv .build/venv && .build/venv/bin/pip install \
            aiosmtpd, or name another Python in PAIRSPOT_TEST_PYTHON.
            """)
      }
      line += more
    }
    ports = try JSONDecoder().decode(Ports.self, from: line)
  }

  /// The message received for a recipient, byte for byte; nil if there is none.
  func message(to recipient: String) -> [UInt8]? {
    (try? Data(contentsOf: folder.appending(path: recipient + ".eml"))).map(Array.init)
  }

  func envelope(to recipient: String) throws -> Envelope {
    let data = try Data(contentsOf: folder.appending(path: recipient + ".json"))
    return try JSONDecoder().decode(Envelope.self, from: data)
  }
}

/// The servers: the local part of an address determines the server's reply.
private enum MailSinkProgram {
  static let text = """
    import asyncio, json, os, shutil, ssl, subprocess, sys, threading
    from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

    folder = sys.argv[1]
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=sink",
         "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    RECIPIENTS = {
        "unknown": "550 5.1.1 No such user",
        "unknownlines": "550-5.1.1 No such\\r\\n550 5.1.1 user",
        "fullbox": "552 5.2.2 Mailbox full",
        "bare": "550 No such user",
        "greylisted": "451 4.7.1 Try again later",
        "temporarilyunknown": "450 4.1.1 Not now",
        "policy": "550 5.7.1 Relaying denied",
        "systemfull": "554 5.3.4 Too big for us",
        "lying": "550 5.1 nothing",
    }
    CONTENTS = {
        "spam": "554 5.7.1 Looks like spam",
        "unknownlater": "550 5.1.1 No such user after all",
        "busylater": "451 4.3.0 Disk full",
    }

    class Handler:
        async def handle_MAIL(self, server, session, envelope, address, options):
            if address.startswith("banned"):
                return "550 5.1.8 Bad sender"
            if address.startswith("slow"):
                return "451 4.4.1 Later"
            envelope.mail_from = address
            return "250 OK"

        async def handle_RCPT(self, server, session, envelope, address, options):
            answer = RECIPIENTS.get(address.split("@")[0])
            if answer:
                return answer
            envelope.rcpt_tos.append(address)
            return "250 OK"

        async def handle_DATA(self, server, session, envelope):
            name = envelope.rcpt_tos[0].split("@")[0]
            if name in CONTENTS:
                return CONTENTS[name]
            login = session.auth_data
            with open(f"{folder}/{envelope.rcpt_tos[0]}.eml", "wb") as file:
                file.write(envelope.original_content)
            with open(f"{folder}/{envelope.rcpt_tos[0]}.json", "w") as file:
                json.dump({"from": envelope.mail_from, "to": envelope.rcpt_tos,
                           "greeting": session.host_name,
                           "login": login.login.decode() if login else None}, file)
            return "250 2.0.0 Taken"

    def authenticate(server, session, envelope, mechanism, data):
        good = (isinstance(data, LoginPassword) and data.login == b"mei"
                and data.password == b"s3cret \\xe6\\xa2\\x85")
        return AuthResult(success=good, handled=False, auth_data=data)

    def greeter(greeting):
        async def serve(reader, writer):
            writer.write(greeting)
            await writer.drain()
            await reader.read(100)
            writer.close()
        return serve

    async def main():
        loop = asyncio.get_running_loop()
        def protocol(**options):
            return lambda: SMTP(Handler(), hostname="sink.example", **options)
        async def server(**options):
            tls = options.pop("tls", None)
            return await loop.create_server(protocol(**options), "127.0.0.1", 0, ssl=tls)
        servers = {
            "plain": await server(),
            "login": await server(auth_required=True, auth_require_tls=False,
                                  authenticator=authenticate, auth_exclude_mechanism=["PLAIN"]),
            "starttls": await server(tls_context=context, require_starttls=True),
            "tls": await server(tls=context),
            "refusing": await asyncio.start_server(
                greeter(b"554 5.3.2 No service for you\\r\\n"), "127.0.0.1", 0),
            "away": await asyncio.start_server(
                greeter(b"421 4.3.2 Closing\\r\\n"), "127.0.0.1", 0),
        }
        print(json.dumps({n: s.sockets[0].getsockname()[1] for n, s in servers.items()}),
              flush=True)
        await asyncio.Event().wait()

    def end_with_the_tests():
        sys.stdin.read()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=end_with_the_tests, daemon=True).start()
    asyncio.run(main())
    """
}
