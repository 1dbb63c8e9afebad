import Core
import Database

/// Default names of couples.
enum CoupleNames {
  /// How many characters of each name a default name takes.
  private static let maximumLength = (AccountRules.coupleNameLimits.characters - 3) / 2

  /// The default name of a couple, until its members choose one.
  static func of(_ first: String, _ second: String) -> String {
    "\(first.prefix(maximumLength)) & \(second.prefix(maximumLength))"
  }

  /// Whether a couple's name contains this user's name as a separate word, or anywhere in scripts
  /// without spaces.
  static func containsName(_ name: String, _ person: String) -> Bool {
    [person, String(person.prefix(maximumLength))].contains {
      name.lowercased().containsWord($0.lowercased())
    }
  }

  /// Renames couples after the remaining member, like a single member's couple, if their name
  /// contains the name of a user who is purged (docs/developer/deletion-and-export.md;
  /// docs/developer/pages-and-forms.md#limits-of-fields). Any other name belongs to the remaining
  /// member as well and is kept.
  static func forget(
    _ person: ID<Person>, in couples: [ID<Couple>], _ writer: WriteTransaction
  ) throws {
    let own = try writer.value(
      "SELECT display_name FROM users WHERE id = \(person)", as: String.self)
    guard let own else { return }
    for couple in couples {
      let row = try writer.first(
        """
        SELECT c.name, u.display_name FROM couples c
        JOIN couple_members m ON m.couple_id = c.id AND m.user_id <> \(person)
        JOIN users u ON u.id = m.user_id
        WHERE c.id = \(couple) ORDER BY m.joined_at DESC LIMIT 1
        """
      ) { (name: try $0.next(String.self), other: try $0.next(String.self)) }
      guard let row, containsName(row.name, own) else { continue }
      try writer.execute("UPDATE couples SET name = \(row.other) WHERE id = \(couple)")
    }
  }
}

extension String {
  /// Whether the text contains a word that is not part of a longer one.
  fileprivate func containsWord(_ word: String) -> Bool {
    guard !word.isEmpty else { return false }
    return ranges(of: word).contains { range in
      let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : nil
      let after = range.upperBound < endIndex ? self[range.upperBound] : nil
      return !(word.first?.continues(before) ?? false) && !(word.last?.continues(after) ?? false)
    }
  }
}

extension Character {
  /// Whether two adjacent characters belong to one word: true for characters of scripts with
  /// spaces.
  fileprivate func continues(_ other: Character?) -> Bool {
    guard let other else { return false }
    return [self, other].allSatisfy {
      ($0.isLetter || $0.isNumber) && ($0.unicodeScalars.first?.value ?? 0) < 0x2E80
    }
  }
}
