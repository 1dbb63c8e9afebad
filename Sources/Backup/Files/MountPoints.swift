import Foundation
import Glibc

/// Where other file systems, or other folders of the same one (bind mounts), are hung into the
/// tree: such a name can't be changed, and `st_dev` doesn't tell.
struct MountPoints {
  private static let table = "/proc/self/mountinfo"
  /// A mount point is the fifth word of its line.
  private static let word = 4

  private let paths: [String]

  /// Those that this process sees; none where the kernel doesn't tell.
  init() {
    self.init(table: FileManager.default.contents(atPath: Self.table) ?? Data())
  }

  /// From a text like that of `/proc/self/mountinfo`.
  init(table: some Collection<UInt8>) {
    paths = table.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: Self.word + 1)
      return words.count > Self.word ? Self.plain(words[Self.word]) : nil
    }
  }

  /// The first one at a path or below it; nil for none.
  func first(in path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let whole = String(cString: real)
    return paths.filter { $0 == whole || $0.hasPrefix("\(whole)/") }.min()
  }

  /// Spaces and their like stand there in octal digits: `\040`.
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
