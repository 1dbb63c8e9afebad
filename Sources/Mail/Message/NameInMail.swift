import Core
import Templates

/// A user-chosen name, made safe for a mail's text: it contains no link.
public enum NameInMail {
  private static let wordJoiner: Unicode.Scalar = "\u{2060}"
  private static let firstStrongIsolate = "\u{2068}"
  private static let popIsolate = "\u{2069}"
  /// Characters that people and programs read as the dot of a domain (IDNA, RFC 3490, section 3.1).
  private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]

  /// The name on one line, for subjects. Mail programs make no links there, and a subject begins
  /// with a word of the template, so no name can change its text direction.
  public static func plain(_ name: String) -> String {
    let line = name.asOneLine
    return line.unicodeScalars.contains(where: isSeen) ? line : ""
  }

  /// The name on one line, for bodies. Mail programs turn text that looks like an address into a
  /// link, which an invisible joiner prevents; a right-to-left name is isolated, so that it affects
  /// only itself.
  public static func inBody(_ name: String) -> String {
    let line = plain(name)
    let text = unlinked(line)
    return line.unicodeScalars.contains(where: runsFromTheRight)
      ? firstStrongIsolate + text + popIsolate : text
  }

  private static func unlinked(_ line: String) -> String {
    let scalars = Array(line.unicodeScalars)
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      result.append(scalar)
      guard index + 1 < scalars.count, !scalars[index + 1].properties.isWhitespace else { continue }
      if dots.contains(scalar) || scalar == "@" || (scalar == ":" && scalars[index + 1] == "/") {
        result.append(wordJoiner)
      }
    }
    return String(result)
  }

  private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
  }

  /// Hebrew, Arabic and related scripts, and the marks that act like them.
  private static func runsFromTheRight(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF,
      0x1E800...0x1EFFF:
      true
    default: false
    }
  }
}

extension Field {
  /// A text chosen by a user, such as the name of a member, a couple, a group or a device. Every
  /// such value of a mail must be declared with this.
  public static func name(_ get: @escaping @Sendable (V) -> String) -> Field {
    .text { NameInMail.inBody(get($0)) }
  }
}
