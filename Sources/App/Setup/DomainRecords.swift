import Cglibc
import Glibc

/// Records of a domain in the DNS, for the checks of a sender's domain.
struct DomainRecords: Sendable {
  /// No name server answered.
  struct Unreachable: Error {}

  /// Returns the message that answers a question, nil if the domain has no such record. Throws
  /// `Unreachable`.
  typealias Lookup = @Sendable (_ domain: String, _ type: Int32) throws -> [UInt8]?

  static let text: Int32 = 16
  static let mailServer: Int32 = 15
  /// The largest message, in bytes (RFC 1035, section 4.2.2).
  private static let limit = 65_535

  var lookup: Lookup = { try DomainRecords.ask($0, $1) }

  /// The texts of a domain, each joined from its parts (RFC 7208, section 3.3).
  func texts(of domain: String) throws -> [String] {
    try data(domain, Self.text).map { data in
      var (text, rest) = ([UInt8](), data[...])
      while let length = rest.popFirst() {
        text += rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// Whether the domain names servers that take its mail. A single root name says that it takes
  /// none (RFC 7505).
  func takesMail(_ domain: String) throws -> Bool {
    try data(domain, Self.mailServer).contains { $0.count > 3 }
  }

  /// The data of all records of a type.
  private func data(_ domain: String, _ type: Int32) throws -> [[UInt8]] {
    guard let message = try lookup(domain, type) else { return [] }
    return Self.records(of: message, type: type)
  }

  static func records(of message: [UInt8], type: Int32) -> [[UInt8]] {
    message.withUnsafeBufferPointer { bytes in
      var parsed = ns_msg()
      guard ns_initparse(bytes.baseAddress, Int32(bytes.count), &parsed) == 0 else { return [] }
      // `ns_s_an`: the section of answers.
      let count = parsed._counts.1
      return (0..<Int32(count)).compactMap { index in
        var record = ns_rr()
        guard ns_parserr(&parsed, ns_s_an, index, &record) == 0, record.type == type else {
          return nil
        }
        return Array(UnsafeBufferPointer(start: record.rdata, count: Int(record.rdlength)))
      }
    }
  }

  private static func ask(_ domain: String, _ type: Int32) throws -> [UInt8]? {
    var message = [UInt8](repeating: 0, count: limit)
    // Class 1 is the internet.
    let length = res_query(domain, 1, type, &message, Int32(message.count))
    if length > 0 { return Array(message.prefix(Int(length))) }
    switch __h_errno_location().pointee {
    case HOST_NOT_FOUND, NO_DATA: return nil
    default: throw Unreachable()
    }
  }
}
