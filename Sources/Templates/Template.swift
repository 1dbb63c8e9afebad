import Core

/// A template compiled for one view type in all languages.
///
/// It may be rendered from many threads; after a reload it renders the new program.
public struct Template<V: View>: Sendable {
  let entry: TemplateEntry

  /// The page as UTF-8.
  public func render(_ view: V, in language: Language) -> [UInt8] {
    var output = Output(capacity: entry.capacity)
    render(view, in: language, into: &output)
    return output.bytes
  }

  /// Appends the page to a buffer, which can be reused for the next one.
  public func render(_ view: V, in language: Language, into output: inout Output) {
    withUnsafePointer(to: view) {
      entry.render(UnsafeRawPointer($0), in: language, into: &output)
    }
  }
}
