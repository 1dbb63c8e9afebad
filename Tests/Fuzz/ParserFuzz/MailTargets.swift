import Mail
import Templates

@testable import Mail
@testable import Templates

extension FuzzTarget {
  static let mailTargets = [
    FuzzTarget(name: "bounce") { bytes in _ = try? BounceMessage(bytes) },
    FuzzTarget(name: "mime") { bytes in parts(of: MIMEPart(bytes[...]), depth: 4) },
    FuzzTarget(name: "address") { bytes in
      let entered = String(decoding: bytes, as: UTF8.self)
      guard let address = try? MailAddress(entered) else { return }
      let written = address.description
      check(!written.contains { $0.isNewline || $0 == "," || $0 == ";" }, "one address alone")
      check((try? MailAddress(written)) == address, "what is written is read as it was")
    },
    FuzzTarget(name: "mustache") { bytes in
      guard let library = try? Library(sources: ["page": bytes]) else { return }
      _ = try? library.nodes(of: "page")
    },
  ]

  private static func parts(of part: MIMEPart, depth: Int) {
    _ = (part.type, part.values("subject"))
    guard depth > 0 else { return }
    for inner in part.parts { parts(of: inner, depth: depth - 1) }
  }
}
