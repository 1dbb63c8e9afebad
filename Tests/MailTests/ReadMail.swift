import Foundation

/// A message as parsed by Python's email package.
struct ReadMail: Decodable {
  let headers: [[String]]
  let fromName: String
  let fromAddress: String
  let toAddress: String
  let subject: String
  let seconds: Double
  let types: [String]
  let languages: [String]
  let text: String
  let html: String
  let defects: [String]

  func values(_ name: String) -> [String] {
    headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }

  init(_ message: [UInt8]) throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "pairspot-mail-\(UUID().uuidString).eml")
    try Data(message).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    self = try JSONDecoder().decode(
      ReadMail.self, from: Python.output(Self.program, [file.path]))
  }

  private static let program = """
    import email, email.header, email.policy, email.utils, json, sys
    with open(sys.argv[1], "rb") as file:
        raw = file.read()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    # The newer reader keeps the blank between two encoded words of a name (RFC 2047, section 6.2).
    sender = email.utils.parseaddr(email.message_from_bytes(raw)["from"].replace("\\r\\n", ""))
    name = str(email.header.make_header(email.header.decode_header(sender[0])))
    parts = [p for p in message.walk() if not p.is_multipart()]
    defects = [repr(d) for p in message.walk() for d in p.defects]
    defects += [repr(d) for p in message.walk() for h in p.values() for d in h.defects]
    print(json.dumps({
        "headers": [[k, str(v)] for k, v in message.items()],
        "fromName": name,
        "fromAddress": message["from"].addresses[0].addr_spec,
        "toAddress": message["to"].addresses[0].addr_spec,
        "subject": message["subject"],
        "seconds": message["date"].datetime.timestamp(),
        "types": [p.get_content_type() for p in message.walk()],
        "languages": [p.get_content_charset() for p in parts],
        "text": message.get_body(("plain",)).get_content().replace("\\r\\n", "\\n"),
        "html": message.get_body(("html",)).get_content().replace("\\r\\n", "\\n"),
        "defects": defects,
    }))
    """
}
