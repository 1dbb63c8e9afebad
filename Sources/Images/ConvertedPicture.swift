import Glibc

/// A JPEG that was made of an uploaded picture, and is removed with this object.
public final class ConvertedPicture: Sendable {
  public let path: String

  init(path: String) { self.path = path }

  deinit { unlink(path) }
}
