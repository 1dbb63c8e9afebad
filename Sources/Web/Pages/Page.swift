import Core
import HTTPTypes
import Templates

/// A page: a template that shows content of one type in the frame of all pages. The template finds
/// the frame by the name `page`.
public struct Page<Content: View>: Sendable {
  private let template: FramedTemplate<PageFrame, Content>
  private let title: String

  /// Compiles a page whose usual title is the text with this key. Throws `TemplateError`.
  public init(_ name: String, title: String = "", in site: AppEnvironment) throws {
    template = try site.templates.template(name, named: "page")
    self.title = title
  }

  /// The response with this page.
  ///
  /// - Parameter title: The title, if it is not the usual one.
  public func response(
    _ content: Content, _ context: Context, title: PageTitle? = nil,
    status: HTTPResponse.Status = .ok
  ) -> Response {
    let frame = PageFrame(context, title: title ?? .key(self.title))
    return .html(template.render(content, in: frame, context.language), status: status)
  }

  /// A page that is the same for every viewer, in a language that its address names: the same bytes
  /// for all, without a token, so that a browser may cache it
  /// (docs/developer/architecture.md#rules).
  public func response(
    _ content: Content, withoutViewer context: Context, in language: Language
  ) -> Response {
    let frame = PageFrame(withoutViewer: context, title: title, language: language)
    return .html(template.render(content, in: frame, language))
  }
}

/// The content of a page whose template has only texts.
public struct EmptyContent: View {
  public static let fields: [String: Field<EmptyContent>] = [:]

  public init() {}
}

/// The title of a page.
public enum PageTitle {
  /// A text of the catalogues.
  case key(String)
  /// A name, as it is.
  case named(String)

  func text(_ context: Context) -> String {
    switch self {
    case .key(let key): context.text(key)
    case .named(let name): name
    }
  }
}
