import Core

/// A template compiled for one view type in all languages.
///
/// It may be rendered from many threads; after a reload it renders the new program.
public struct Template<V: View>: Sendable {
  let entry: TemplateEntry

  /// A number that changes when a changed template was compiled again.
  public var version: Int { entry.version }

  /// The page as UTF-8.
  public func render(_ view: V, in language: Language) -> [UInt8] {
    var output = Output(capacity: entry.capacity)
    render(view, in: language, into: &output)
    return output.bytes
  }

  /// Appends the page to a buffer, which can be reused for the next one.
  public func render(_ view: V, in language: Language, into output: inout Output) {
    withUnsafePointer(to: view) {
      entry.render(UnsafeRawPointer($0), frame: nil, in: language, into: &output)
    }
  }
}

/// A template compiled for one view type and the frame around it, in all languages.
public struct FramedTemplate<Frame: View, V: View>: Sendable {
  let entry: TemplateEntry

  /// The page as UTF-8.
  public func render(_ view: V, in frame: Frame, _ language: Language) -> [UInt8] {
    var output = Output(capacity: entry.capacity)
    withUnsafePointer(to: view) { view in
      withUnsafePointer(to: frame) { frame in
        entry.render(
          UnsafeRawPointer(view), frame: UnsafeRawPointer(frame), in: language, into: &output)
      }
    }
    return output.bytes
  }
}
