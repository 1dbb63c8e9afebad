import Cexpat

/// Reads XML 1.0 in UTF-8 sequentially, with libexpat. Document types are refused, so there are no
/// entities but the five of XML, and nothing else is loaded.
public struct XMLReader: Sendable {
  private let limits: XMLLimits

  public init(_ limits: XMLLimits) {
    self.limits = limits
  }

  /// Calls `handle` with each part of the document. A byte order mark and white space before the
  /// document are skipped. Throws `XMLError` at the first fault, after the parts before it, and
  /// what `handle` throws.
  public func read(_ bytes: [UInt8], _ handle: (XMLEvent) throws -> Void) throws {
    guard bytes.count <= limits.document, bytes.count <= Int(Int32.max),
      let parser = XML_ParserCreate("UTF-8")
    else { throw XMLError() }
    defer { XML_ParserFree(parser) }
    let text = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
      .drop { $0 == 0x20 || 0x09...0x0A ~= $0 || $0 == 0x0D }
    try withoutActuallyEscaping(handle) { handle in
      let reading = Reading(parser, limits, handle)
      reading.setHandlers()
      let status = withExtendedLifetime(reading) {
        text.withUnsafeBytes {
          XML_Parse(parser, $0.baseAddress, Int32($0.count), Int32(XML_TRUE))
        }
      }
      if let error = reading.error { throw error }
      guard status == XML_STATUS_OK else { throw XMLError() }
    }
  }
}

/// The state that libexpat's callbacks share while a document is read.
private final class Reading {
  private let parser: XML_Parser
  private let limits: XMLLimits
  private let handle: (XMLEvent) throws -> Void
  private var depth = 0
  private(set) var error: (any Error)?

  init(_ parser: XML_Parser, _ limits: XMLLimits, _ handle: @escaping (XMLEvent) throws -> Void) {
    self.parser = parser
    self.limits = limits
    self.handle = handle
  }

  func setHandlers() {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      Reading.of(data)?.take { _ in throw XMLError() }
    }
    XML_SetElementHandler(
      parser,
      { data, name, attributes in
        Reading.of(data)?.take { try $0.open(name, attributes) }
      },
      { data, name in
        Reading.of(data)?.take { try $0.close(name) }
      })
    XML_SetCharacterDataHandler(parser) { data, bytes, count in
      Reading.of(data)?.take {
        try $0.text(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }
    }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> Reading? {
    data.map { Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Does one step. The first error ends the document; libexpat may call once more after that.
  private func take(_ step: (Reading) throws -> Void) {
    guard error == nil else { return }
    do {
      try step(self)
    } catch {
      self.error = error
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }

  /// `list` has names and values in turn, and ends with a null pointer.
  private func open(
    _ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) throws {
    depth += 1
    guard depth <= limits.depth else { throw XMLError() }
    var attributes: [(name: String, value: String)] = []
    var place = 0
    while let key = list?[place] {
      guard attributes.count < limits.attributes else { throw XMLError() }
      attributes.append(
        (try string(key, limits.name), try string(list?[place + 1], limits.value)))
      place += 2
    }
    try handle(.open(name: try string(name, limits.name), attributes: attributes))
  }

  private func close(_ name: UnsafePointer<XML_Char>?) throws {
    depth -= 1
    try handle(.close(name: try string(name, limits.name)))
  }

  private func text(_ bytes: UnsafeRawBufferPointer) throws {
    var end = min(bytes.count, limits.text)
    // Not inside a character.
    while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    try handle(.text(String(decoding: bytes[..<end], as: UTF8.self)))
  }

  private func string(_ text: UnsafePointer<XML_Char>?, _ maximum: Int) throws -> String {
    let string = text.map { String(cString: $0) } ?? ""
    guard string.utf8.count <= maximum else { throw XMLError() }
    return string
  }
}
