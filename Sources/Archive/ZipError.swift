import Core
import Glibc

/// The reason why an archive could not be written.
public enum ZipError: Error, Equatable, CustomStringConvertible {
  /// Empty, absolute, leaving its folder, too long, or a duplicate.
  case badName(String)
  /// A source file can't be opened.
  case missing(String)
  /// A source file became longer or shorter while it was read.
  case changed(String)
  /// The system call failed, with its `errno`.
  case system(String, Int32)

  public var description: String {
    switch self {
    case .badName(let name): "no name for an entry: \(name)"
    case .missing(let path): "cannot read \(path)"
    case .changed(let path): "\(path) changed while it was read"
    case .system(let what, let code): "cannot \(what): \(String(cString: strerror(code)))"
    }
  }
}

extension ZipError: DiskError {
  public var systemError: Int32 {
    if case .system(_, let code) = self { code } else { 0 }
  }
}
