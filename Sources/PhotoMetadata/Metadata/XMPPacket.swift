import XML

/// An XMP packet (ISO 16684-1).
struct XMPPacket {
  static let namespace = "urn:pairspot:album:1.0#"
  private static let dublinCore = "http://purl.org/dc/elements/1.1/"

  /// The text under our mark.
  private(set) var story: String?
  /// `dc:description` in the default language, else the first.
  private(set) var description: String?
  let mentionsGainMap: Bool
  let mentionsMotion: Bool

  /// Nil for more than `PhotoLimits.block`, and for encodings other than UTF-8 and UTF-16.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= PhotoLimits.block, let text = Self.decode(bytes) else { return nil }
    let bytes = Array(text.utf8)
    func mentions(_ marks: [String]) -> Bool {
      marks.contains { ByteSearch.contains($0, in: bytes) }
    }
    mentionsGainMap = mentions(["hdr-gain-map", "HDRGainMap"])
    mentionsMotion = mentions([
      "MotionPhoto=\"1\"", "MotionPhoto>1<", "MicroVideo=\"1\"", "MicroVideo>1<",
    ])
    read(bytes)
  }

  /// XMP may be UTF-16, though not in a JPEG (ISO 16684-1, 7.1): then with a byte order mark, or
  /// recognised by a zero next to its first `<`.
  private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    let start = Array(bytes.prefix(2))
    switch start {
    case [0xFF, 0xFE], [0x3C, 0]: return LegacyTextDecoding.utf16(bytes, .little)
    case [0xFE, 0xFF], [0, 0x3C]: return LegacyTextDecoding.utf16(bytes, .big)
    default: return String(validating: bytes, as: UTF8.self)
    }
  }

  private enum Property { case story, description }

  /// The meaning of the parts of a packet, while they are read.
  private struct Reading {
    /// Namespaces by prefix.
    var names: [String: String] = [:]
    var depth = 0
    var property: (kind: Property, depth: Int)?
    /// An item of a language alternative.
    var item: (depth: Int, isDefault: Bool)?
    var text = ""
  }

  /// Programs write hundreds of attributes, and long texts into them.
  private static let limits = XMLLimits(
    document: PhotoLimits.block, depth: 256, name: 4096, value: PhotoLimits.block,
    text: PhotoLimits.block, attributes: 4096)

  /// Keeps what precedes a syntax error.
  private mutating func read(_ bytes: [UInt8]) {
    var reading = Reading()
    try? XMLReader(Self.limits).read(bytes) { take($0, &reading) }
  }

  private mutating func take(_ event: XMLEvent, _ reading: inout Reading) {
    switch event {
    case .open(let name, let attributes):
      for (attribute, value) in attributes where attribute.hasPrefix("xmlns:") {
        reading.names[String(attribute.dropFirst(6))] = value
      }
      for (attribute, value) in attributes {
        if let kind = Self.property(attribute, reading.names) { keep(value, kind, isDefault: true) }
      }
      reading.depth += 1
      if reading.property == nil, let kind = Self.property(name, reading.names) {
        reading.property = (kind, reading.depth)
        reading.text = ""
      } else if reading.property != nil, name.hasSuffix(":li") {
        let isDefault = attributes.contains { $0.name == "xml:lang" && $0.value == "x-default" }
        reading.item = (reading.depth, isDefault)
        reading.text = ""
      }
    case .text(let piece):
      if reading.property != nil { reading.text += piece }
    case .close:
      if let item = reading.item, item.depth == reading.depth, let property = reading.property {
        keep(reading.text, property.kind, isDefault: item.isDefault)
        reading.item = nil
        reading.text = ""
      } else if let property = reading.property, property.depth == reading.depth {
        keep(reading.text, property.kind, isDefault: false)
        reading.property = nil
      }
      reading.depth -= 1
    }
  }

  private static func property(_ name: String, _ names: [String: String]) -> Property? {
    let parts = name.split(separator: ":")
    guard parts.count == 2, let space = names[String(parts[0])] else { return nil }
    if space == namespace, parts[1] == "story" { return .story }
    return space == dublinCore && parts[1] == "description" ? .description : nil
  }

  private mutating func keep(_ text: String, _ property: Property, isDefault: Bool) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    switch property {
    case .story: story = story ?? text
    case .description: description = isDefault ? text : description ?? text
    }
  }

  /// The packet of a story, without padding, because it is never edited in place.
  static func make(_ story: PhotoStory) -> [UInt8] {
    let text = escape(story.text)
    return Array(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">\
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="\(dublinCore)" xmlns:pairspot="\(namespace)">\
      <dc:description><rdf:Alt><rdf:li xml:lang="x-default">\(text)</rdf:li></rdf:Alt>\
      </dc:description>\
      <pairspot:story>\(text)</pairspot:story>\
      </rdf:Description></rdf:RDF></x:xmpmeta>
      <?xpacket end="w"?>
      """.utf8)
  }

  /// Writes line breaks and tabs as references, since programs collapse white space.
  private static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
