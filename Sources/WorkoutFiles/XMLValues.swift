import XML

/// Limits and values that the readers of XML formats share.
enum XMLValues {
  /// The maximum number of points in a file: more than two days at one per second.
  static let maximumPoints = 200_000
  /// The maximum number of laps, or of tracks and their segments: empty ones take memory too.
  static let maximumParts = 5000
  /// The maximum length of a value, in bytes: no value needed from such a file is long.
  static let maximumLength = 4096
  static let limits = XMLLimits(
    document: WorkoutFile.largest, depth: 64, name: 256, value: maximumLength, text: maximumLength,
    attributes: 64)

  /// A name without its prefix: the files are recognized by local names.
  static func localName(_ name: String) -> String {
    guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
    return String(name[name.index(after: colon)...])
  }

  /// The local name of the root element; nil if the file breaks off before it.
  static func root(of bytes: [UInt8]) -> String? {
    struct Root: Error { let name: String }
    do {
      try XMLReader(limits).read(bytes) { event in
        if case .open(let name, _) = event { throw Root(name: localName(name)) }
      }
      return nil
    } catch {
      return (error as? Root)?.name
    }
  }

  static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 32, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// The machine of a sport. Some programs write sports that are not in the schema.
  static func machine(sport: String) -> Machine {
    switch sport.lowercased().replacing("_", with: " ") {
    case "biking", "cycling", "indoor cycling", "road biking", "virtualride", "virtual ride": .bike
    case "rowing", "indoor rowing", "virtualrow": .rower
    default: .other
    }
  }
}
