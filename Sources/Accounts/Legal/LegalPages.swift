import Core
import Templates
import Web

/// `/terms`, `/privacy` and `/about`: public texts.
struct LegalPages {
  private let services: AccountsEnvironment
  private let terms: Page<ProseView>
  private let privacy: Page<ProseView>
  private let about: Page<ProseView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    terms = try Page("static/terms", title: "about.title", in: services.site)
    privacy = try Page("static/privacy", title: "about.title", in: services.site)
    about = try Page("static/about", title: "about.title", in: services.site)
  }

  @Sendable func showTerms(_ context: Context) -> Response {
    show(terms, "footer.terms", services.legal.terms(context.language), context)
  }

  @Sendable func showPrivacy(_ context: Context) -> Response {
    show(privacy, "footer.privacy", services.legal.privacy(context.language), context)
  }

  @Sendable func showAbout(_ context: Context) -> Response {
    let view = ProseView(
      title: context.text("about.title"),
      version: nil,
      paragraphs: [
        LegalTexts.Paragraph(heading: nil, text: context.text("about.lead")),
        LegalTexts.Paragraph(heading: nil, text: context.text("about.posts")),
        LegalTexts.Paragraph(
          heading: context.text("about.privacy_heading"), text: context.text("about.privacy")),
        LegalTexts.Paragraph(
          heading: context.text("about.host_heading"), text: context.text("about.host")),
      ])
    return about.response(view, context)
  }

  private func show(
    _ page: Page<ProseView>, _ title: String, _ text: LegalTexts.Text, _ context: Context
  ) -> Response {
    let day = LocalDay(text.version)
    let view = ProseView(
      title: context.text(title),
      version: day.map { DateFormatting(context).day($0) } ?? text.version,
      paragraphs: text.paragraphs)
    return page.response(view, context, title: .named(view.title))
  }
}

struct ProseView: View {
  let title: String
  let version: String?
  let paragraphs: [LegalTexts.Paragraph]

  static let fields: [String: Field<ProseView>] = [
    "title": .text { $0.title },
    "version": .optionalText { $0.version },
    "paragraphs": .list { $0.paragraphs },
  ]
}

extension LegalTexts.Paragraph: View {
  static let fields: [String: Field<LegalTexts.Paragraph>] = [
    "heading": .optionalText { $0.heading },
    "text": .text { $0.text },
  ]
}
