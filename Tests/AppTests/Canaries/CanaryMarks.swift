import Foundation
import Glibc

/// The users of the canary test data, each with the character used in their marks.
enum CanaryPerson: String, CaseIterable, Sendable {
  /// A couple, followed by Cyd and Dee.
  case ann = "a"
  case ben = "b"
  /// Another couple.
  case cyd = "c"
  case dee = "d"
  /// A separated couple.
  case eve = "e"
  case fin = "f"
  /// A guest alone, and a guest in the group.
  case gia = "g"
  case hal = "h"
  /// Has started to register.
  case ivy = "i"
  /// Blocks Ann and Ben.
  case kim = "k"
  /// Leads the group.
  case lea = "l"
  /// A moderator, and an admin.
  case moe = "m"
  case ora = "o"
  /// Is blocked by Ann and Ben.
  case nik = "n"
  /// Has reported posts.
  case pia = "p"
  /// Was removed from the group.
  case rex = "r"
  /// Has no contact with others except Wes, who follows him.
  case sam = "s"
  /// Has just deleted his account.
  case tom = "t"
  /// Is suspended.
  case uli = "u"
  /// Has left the group.
  case vic = "v"
  /// Is in the group, and follows Sam.
  case wes = "w"

  static let guests: [CanaryPerson] = [.gia, .hal]
  static let staff: [CanaryPerson] = [.moe, .ora]
  /// Users with an account and a password, except staff.
  static let members = allCases.filter { !(guests + staff + [.ivy]).contains($0) }

  /// A unique two-digit number, for numeric marks.
  var number: Int { 11 + (Self.allCases.firstIndex(of: self) ?? 0) }

  func mark(_ kind: CanaryKind, _ digit: Int? = nil) -> String {
    "kq\(rawValue)\(kind)\(digit.map(String.init) ?? "")z"
  }

  /// A mail address with a mark.
  func address(_ kind: CanaryKind) -> String { "\(mark(kind))@example.test" }

  /// A number with six decimal places, unique to this user.
  func number(_ kind: CanaryNumber, above whole: Int = 0) -> Double {
    Double("\(whole).731\(kind.rawValue)\(number)") ?? 0
  }

  /// An integer unique to this user.
  var coins: Int { 731_800 + number }
}

/// Data marked by a number, with the digit that identifies it.
enum CanaryNumber: Int, CaseIterable {
  case latitude = 4
  case longitude = 5
  case figure = 6
  case waypoint = 7
}

/// The kinds of data of docs/developer/who-sees-what.md. The raw value is used in marks.
enum CanaryKind: String, CaseIterable, Sendable {
  case name = "display name"
  case guest = "name of a guest"
  case staff = "name of a moderator"
  case couple = "couple name"
  case bio = "text about a couple"
  case email = "e-mail address"
  case changed = "address of before, or not confirmed yet"
  case invited = "address of an invited partner"
  case registering = "what somebody typed to register"
  case open = "public post"
  case described = "description of a public picture"
  case narrow = "post for followers"
  case two = "post for the two"
  case remark = "comment on a public post"
  case whisper = "comment on a post for the two"
  case message = "message to the partner"
  case talk = "message to another couple"
  case moment = "moment for followers"
  case hidden = "post that moderators hid"
  case parted = "posts of a couple that parted"
  case partedname = "name of a couple that parted"
  case deleted = "anything of a deleted account"
  case comment = "what a picture's file said"
  case draft = "picture that waits for its post"
  case browser = "browser of a session"
  case device = "recording device"
  case passkey = "name of a passkey"
  case app = "app that is signed in"
  case endpoint = "address for pushes"
  case contact = "name of an emergency contact"
  case reach = "address of an emergency contact"
  case note = "note for the contacts"
  case link = "link in a mail to a contact"
  case story = "photo, story and caption"
  case shared = "photo shared with the partner"
  case workout = "workout"
  case exposed = "workout that the partner may see"
  case coins = "coins"
  case group = "group, its waypoints and log"
  case code = "code in a group's link"
  case place = "live place"
  case stale = "live place of who left the group"
  case report = "words of a report"
  case decision = "why moderators decided about a post"
  case verdict = "why moderators decided about a couple"
  case suspended = "why somebody is suspended"
  case appeal = "appeal"
  case training = "training"
  case unpublished = "training that isn't published"
}

/// A mark that was found: its kind and owner.
struct CanaryMark: Hashable, CustomStringConvertible {
  let kind: CanaryKind
  let person: CanaryPerson

  /// Data of a deleted or separated owner counts as another kind than it was planted as.
  init(_ planted: CanaryKind, of person: CanaryPerson) {
    self.person = person
    switch (person, planted) {
    case (.tom, .email), (.tom, .changed): kind = planted
    case (.tom, _): kind = .deleted
    case (.ivy, _): kind = .registering
    case (.eve, .couple), (.eve, .bio): kind = .partedname
    case (.eve, .open), (.eve, .described), (.eve, .narrow), (.eve, .two), (.fin, .open),
      (.fin, .described), (.fin, .narrow), (.fin, .two), (.eve, .remark), (.eve, .whisper),
      (.fin, .remark), (.fin, .whisper), (.eve, .message), (.fin, .message):
      kind = .parted
    case (.moe, .name), (.ora, .name): kind = .staff
    case (.ann, .workout): kind = .exposed
    case (.gia, .name), (.hal, .name): kind = .guest
    case (.vic, .place), (.rex, .place): kind = .stale
    default: kind = planted
    }
  }

  var description: String { "\(kind.rawValue) of \(person)" }
}

/// Finds marks in bytes: words, numbers, identifiers and secrets, in one pass for each prefix.
struct CanaryFinder {
  private let words: [String: CanaryMark]
  private let numbers: [String: CanaryMark]
  /// Restricted identifiers, and secrets.
  private var others: [String: CanaryMark] = [:]
  /// Lengths of the marks with a prefix.
  private var lengths: [String: Set<Int>] = [:]

  init() {
    var (words, numbers) = ([String: CanaryMark](), [String: CanaryMark]())
    for person in CanaryPerson.allCases {
      for kind in CanaryKind.allCases {
        for digit in [nil, 2, 3, 4, 5] {
          words[person.mark(kind, digit)] = CanaryMark(kind, of: person)
        }
      }
      numbers[".7314\(person.number)"] = CanaryMark(.place, of: person)
      numbers[".7315\(person.number)"] = CanaryMark(.place, of: person)
      numbers[".7316\(person.number)"] = CanaryMark(.workout, of: person)
      numbers[".7317\(person.number)"] = CanaryMark(.group, of: person)
      numbers["\(person.coins)"] = CanaryMark(.coins, of: person)
      numbers["731,8\(person.number)"] = CanaryMark(.coins, of: person)
    }
    self.words = words
    self.numbers = numbers
  }

  /// Registers the identifier of an item, or a secret, as a mark.
  mutating func add(_ text: String, _ mark: CanaryMark) {
    others[text] = mark
    lengths[String(text.prefix(4)), default: []].insert(text.utf8.count)
  }

  /// The marks in bytes, except identifiers contained in `asked`, which an answer may repeat.
  func marks(in bytes: some Collection<UInt8>, asked: String = "") -> Set<CanaryMark> {
    var found: Set<CanaryMark> = []
    // `strstr` stops at a zero byte.
    let bytes = ContiguousArray(bytes) + [0]
    bytes.withUnsafeBytes { all in
      for beginning in ["kq", "Kq", "KQ"] {
        each(beginning, in: all) { rest in
          let end = rest.prefix(24).firstIndex { $0 | 0x20 == UInt8(ascii: "z") }
          guard let end else { return }
          let word = String(decoding: rest[rest.startIndex...end], as: UTF8.self)
          if let mark = words[word] ?? words[word.lowercased()] { found.insert(mark) }
        }
      }
      for (beginning, length) in [(".731", 7), ("7318", 6), ("731,8", 7)] {
        each(beginning, in: all) { rest in
          // A whole number, not a part of random digits.
          let before = rest.startIndex > 0 ? all[rest.startIndex - 1] : 0
          let behind = rest.dropFirst(length).first ?? 0
          guard
            beginning == ".731" || !(Self.isLetterOrDigit(before) || Self.isLetterOrDigit(behind))
          else { return }
          let number = String(decoding: rest.prefix(length), as: UTF8.self)
          if let mark = numbers[number] { found.insert(mark) }
        }
      }
      for (beginning, lengths) in lengths {
        each(beginning, in: all) { rest in
          for length in lengths {
            let text = String(decoding: rest.prefix(length), as: UTF8.self)
            if let mark = others[text], !asked.contains(text) { found.insert(mark) }
          }
        }
      }
    }
    return found
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Calls `body` with the rest from each occurrence of `beginning`.
  private func each(
    _ beginning: String, in all: UnsafeRawBufferPointer,
    _ body: (Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    guard let start = all.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
    var place = 0
    while place < all.count {
      guard let hit = strstr(start + place, beginning) else {
        // Continues after the next zero byte.
        place += strlen(start + place) + 1
        continue
      }
      let offset = UnsafePointer(hit) - start
      body(all[offset...])
      place = offset + beginning.utf8.count
    }
  }
}
