import Core
import Synchronization
import Templates

/// A cache of the markup of texts, by the identifier of the thing they belong to. A changed text is
/// converted again.
public final class LinkedTextCache<Kind>: Sendable {
  private struct Entry {
    let text: String
    let markup: Markup

    var bytes: Int { text.utf8.count + markup.bytes.count }
  }

  private struct Entries {
    var all: [ID<Kind>: Entry] = [:]
    var bytes = 0
  }

  private let maximumBytes: Int
  private let entries = Mutex(Entries())
  private let make: @Sendable (String) -> Markup

  /// Keeps at most `maximumBytes` bytes of texts and markup.
  public convenience init(maximumBytes: Int) {
    self.init(maximumBytes: maximumBytes) { LinkedText.markup($0) }
  }

  init(maximumBytes: Int, make: @escaping @Sendable (String) -> Markup) {
    self.maximumBytes = maximumBytes
    self.make = make
  }

  public func markup(_ text: String, of id: ID<Kind>) -> Markup {
    if let entry = entries.withLock({ $0.all[id] }), entry.text == text { return entry.markup }
    let entry = Entry(text: text, markup: make(text))
    entries.withLock { keep(entry, id, in: &$0) }
    return entry.markup
  }

  /// Stores an entry; when all together are over the limit, the older ones are dropped.
  private func keep(_ entry: Entry, _ id: ID<Kind>, in entries: inout Entries) {
    if let old = entries.all.removeValue(forKey: id) { entries.bytes -= old.bytes }
    if entries.bytes + entry.bytes > maximumBytes { entries = Entries() }
    guard entry.bytes <= maximumBytes else { return }
    entries.all[id] = entry
    entries.bytes += entry.bytes
  }
}
