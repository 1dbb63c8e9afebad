import Foundation
import Testing

@Suite("Marks of pages that tests and scripts find things by")
struct PageMarksTests {
  /// Each marker attribute with the attributes beside it in the templates.
  private static let marks: [String: [String]] = [
    "toast": [], "error-summary": [], "post": ["data-id="], "like-count": [],
    "check-in-button": [], "streak": [], "story-count": [],
    "workout": ["data-client-session-id=", "data-state="], "member": ["data-user-id="],
    "invite-code": [], "balance": [], "report": [], "unread": [],
  ]

  /// Filled by a script, which sets the attributes itself.
  private static let shapes: Set<String> = ["partials/workouts/local-copies.mustache"]

  @Test("Every marker is in a template, with its attributes")
  func all() throws {
    let folder = TestInstance.checkout.appending(path: "templates")
    let templates = try CatalogueUsageTests.files(below: folder, ".mustache")
    for (mark, attributes) in Self.marks {
      var count = 0
      for (name, text) in templates {
        // A tag up to its end; a template section in it has no ">".
        for tag in text.matches(of: /<[a-z][^>]*>/).map({ String($0.output) })
        where tag.contains("data-testid=\"\(mark)\"") {
          count += 1
          guard !Self.shapes.contains(name) else { continue }
          #expect(attributes.allSatisfy(tag.contains), "\(mark) in \(name)")
        }
      }
      #expect(count > 0, "\(mark) stands in no template")
    }
  }
}
