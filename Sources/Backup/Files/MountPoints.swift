import Foundation
import Glibc

/// The mount points of other file systems, and of other folders of the same one (bind mounts): such
/// a name can't be renamed, and `st_dev` doesn't reveal it.
struct MountPoints {
  private static let table = "/proc/self/mountinfo"
  /// The index of the mount point in the words of a line.
  private static let word = 4

  private let paths: [String]

  /// The mount points that this process sees; none if the kernel doesn't list them.
  init() {
    self.init(table: FileManager.default.contents(atPath: Self.table) ?? Data())
  }

  /// Parses a text like that of `/proc/self/mountinfo`.
  init(table: some Collection<UInt8>) {
    paths = table.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: Self.word + 1)
      return words.count > Self.word ? Self.plain(words[Self.word]) : nil
    }
  }

  /// The first mount point at a path or below it; nil for none.
  func first(in path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let whole = String(cString: real)
    return paths.filter { $0 == whole || $0.hasPrefix("\(whole)/") }.min()
  }

  /// Decodes spaces and similar characters, which are octal escapes there: `\040`.
  private static func plain(_ word: some Sequence<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = Array(word)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
