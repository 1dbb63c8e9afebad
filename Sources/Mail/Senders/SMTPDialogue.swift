import Core

/// The last command and reply on a connection to a mail server.
struct SMTPDialogue {
  private static let maximumReplyLength = 4096

  /// The command that the replies are about. Only its first word is kept: others contain passwords.
  enum Command: String {
    case mail = "MAIL"
    case recipient = "RCPT"
    case data = "DATA"
  }

  /// The last command; nil before the envelope: greeting, EHLO, STARTTLS, AUTH.
  private(set) var command: Command?
  private var received: [UInt8] = []
  /// QUIT was sent: the reply to it doesn't matter.
  private var isOver = false

  /// Records a command line sent to the server.
  mutating func sent(_ line: some Collection<UInt8>) {
    let word = String(decoding: line.prefix(4), as: UTF8.self).uppercased()
    isOver = isOver || word == "QUIT"
    guard !isOver, let next = Command(rawValue: word) else { return }
    command = next
    received = []
  }

  /// Records one or more lines from the server.
  mutating func received(_ bytes: some Collection<UInt8>) {
    guard !isOver else { return }
    received += bytes.prefix(max(0, Self.maximumReplyLength - received.count))
  }

  /// The last reply since the last command; nil if there was none.
  var reply: SMTPReply? {
    SMTPReply(lines: received.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
  }
}

/// A server's reply: "550 5.1.1 No such user" (RFC 5321, section 4.2; RFC 3463).
struct SMTPReply: Equatable {
  let code: Int
  /// Class, subject and detail of the enhanced status code; nil if there is none.
  let status: [Int]?
  /// The server's text, on one line.
  let text: String

  /// Nil unless the last line begins with three digits. Lines with an earlier code are left out.
  init?(lines: [String]) {
    let clean = lines.map(\.asOneLine).filter { !$0.isEmpty }
    guard let last = clean.last, let code = Self.number(last.prefix(3), digits: 3...3) else {
      return nil
    }
    self.code = code
    let own = clean.reversed().prefix { $0.hasPrefix(String(code)) }.reversed()
    text = own.map { String($0.dropFirst(4)) }.joined(separator: " ")
    status = last.dropFirst(4).split(separator: " ").first.flatMap(Self.status)
  }

  private static func status(_ word: Substring) -> [Int]? {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { number($0, digits: 1...3) }
    return parts.count == 3 && numbers.count == 3 ? numbers : nil
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    return Int(text)
  }
}
