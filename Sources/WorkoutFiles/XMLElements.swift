import Foundation
import XML

/// A beginning or end of an element, by its local name.
enum XMLElement {
  case open(name: String, attributes: [(name: String, value: String)])
  /// The text is that since the last beginning or end, without white space around it.
  case close(name: String, parent: String, text: String)
}

/// The open elements of a file that is being read.
struct XMLElements {
  private let root: String
  /// The local names of the open elements.
  private var path: [String] = []
  private var text = ""

  /// Reads a file whose root element has this local name. Throws `unknownFormat` for another, and
  /// `broken` for what is no XML or goes beyond the limits.
  static func read(
    _ bytes: [UInt8], root: String, _ take: (XMLElement) throws(WorkoutFileError) -> Void
  ) throws(WorkoutFileError) {
    var elements = XMLElements(root: root)
    do {
      try XMLReader(XMLValues.limits).read(bytes) { event in
        if let element = try elements.element(event) { try take(element) }
      }
    } catch {
      throw error as? WorkoutFileError ?? .broken
    }
  }

  private init(root: String) {
    self.root = root
  }

  private mutating func element(_ event: XMLEvent) throws(WorkoutFileError) -> XMLElement? {
    switch event {
    case .open(let name, let attributes):
      let name = XMLValues.localName(name)
      guard !path.isEmpty || name == root else { throw .unknownFormat }
      path.append(name)
      text = ""
      return .open(name: name, attributes: attributes)
    case .text(let piece):
      if text.utf8.count < XMLValues.maximumLength { text += piece }
      return nil
    case .close:
      defer { text = "" }
      return .close(
        name: path.removeLast(), parent: path.last ?? "",
        text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
