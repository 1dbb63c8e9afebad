import Foundation
import Glibc

/// A file of settings that is being changed. Comments and other lines stay as they are.
public struct SettingsFile {
  /// The reason why the file could not be read or written.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private var lines: [String]

  init(text: String) {
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
  }

  /// Reads a file; a missing one is empty. Throws `Failure` if it can't be read.
  public init(path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      self.init(text: "")
      return
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(description: "cannot read \(path)")
    }
    self.init(text: text)
  }

  var text: String { lines.map { "\($0)\n" }.joined() }

  /// The value of a setting, of its last line if it has several; nil if it has none.
  public subscript(name: String) -> String? {
    get {
      lines.last { Self.name(of: $0) == name }.map { String($0.drop { $0 != "=" }.dropFirst()) }
    }
    set {
      let line = newValue.map { "\(name)=\($0)" }
      guard let last = lines.lastIndex(where: { Self.name(of: $0) == name }) else {
        lines += [line].compactMap(\.self)
        return
      }
      lines.replaceSubrange(last...last, with: [line].compactMap(\.self))
      if line == nil { lines.removeAll { Self.name(of: $0) == name } }
    }
  }

  /// The names of all settings.
  var names: Set<String> { Set(lines.compactMap { Self.name(of: $0) }) }

  private static func name(of line: String) -> String? {
    let line = line.drop { $0.isWhitespace }
    return line.hasPrefix("#") ? nil : line.firstIndex(of: "=").map { String(line[..<$0]) }
  }

  /// Writes the file in one step, readable by its owner and by `group`. Throws `Failure`.
  public func write(to path: String, group: gid_t?) throws {
    let new = "\(path).new"
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let bytes = Array(text.utf8)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count,
      group.map({ fchown(file, geteuid(), $0) }) ?? 0 == 0, fchmod(file, 0o640) == 0,
      fsync(file) == 0, rename(new, path) == 0
    else {
      let reason = String(cString: strerror(errno))
      unlink(new)
      throw Failure(description: "cannot write \(path): \(reason)")
    }
  }
}
