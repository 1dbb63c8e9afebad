import Core
import Database
import Foundation
import Testing

@testable import App

@Suite("Adding pictures to posts")
struct PictureAddingTests {
  private func descriptions(_ post: String, in instance: TestInstance) throws -> [String] {
    try instance.database.read {
      try $0.rows("SELECT description FROM post_images ORDER BY position") { try $0.next() }
    }
  }

  private func edit(
    _ post: String, _ fields: [(String, String)], pictures: Int, by browser: TestClient
  ) -> TestResponse {
    browser.upload(
      "\(post)/edit", [("content", "Words")] + fields,
      files: Array(repeating: ("images", SmallPicture.png), count: pictures))
  }

  @Test("Pictures stay while it is unknown whether their post is stored, and go if it is not")
  func uncertain() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for (failure, staying) in [(StorageError.uncertain, true), (StorageError.busy, false)] {
      // The transaction of the post is the one that returns its address.
      let step = TransactionHook { _, result in
        if result is String { throw failure }
      }
      let before = try instance.mediaFiles().filter { $0.contains("/posts/") }
      let answer = TransactionHook.$step.withValue(step) {
        ann.upload(
          "/posts",
          [("nonce", UUID().uuidString), ("content", "Words"), ("visibility", "public")],
          files: [("images", SmallPicture.png)])
      }
      #expect(answer.status == 503)
      let after = try instance.mediaFiles().filter { $0.contains("/posts/") }
      #expect((after.count > before.count) == staying)
      #expect(before.isSubset(of: after))
    }
  }

  @Test("Pictures are added in the order of the form, once for a form that is sent twice")
  func order() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let form = ann.get("\(post)/edit")
    let fields = [
      ("nonce", try #require(form.value(of: "nonce"))),
      ("image_id_2", try #require(form.value(of: "image_id_1"))),
      ("order_1", "1"), ("order_2", "2"), ("order_3", "3"),
      ("description_1", "First"), ("description_2", "Old"), ("description_3", "Last"),
      ("image_number", "3"), ("image_number", "1"),
    ]
    for _ in 1...2 {
      let answer = edit(post, fields, pictures: 2, by: ann)
      #expect(answer.status == 303 && answer.location == post)
    }
    #expect(try descriptions(post, in: instance) == ["First", "Old", "Last"])
    #expect(ann.get(post).shows("edited"))
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
    #expect(try instance.count("SELECT image_count FROM posts") == 3)
    #expect(try instance.mediaFiles().count == 9)
    for picture in ann.get(post).pictures {
      #expect(ann.get(picture).headers[.accelRedirect] != nil)
    }
  }

  @Test("Without a script, pictures come last, also on a post without any")
  func withoutScript() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    #expect(edit(post, [], pictures: 1, by: ann).status == 303)
    let id = try #require(ann.get("\(post)/edit").value(of: "image_id_1"))
    let fields = [("image_id_1", id), ("order_1", "1"), ("description_1", "Old")]
    #expect(edit(post, fields, pictures: 1, by: ann).status == 303)
    #expect(try descriptions(post, in: instance) == ["Old", ""])
  }

  @Test("More than nine pictures are 422 before any is processed; so are words that are too long")
  func limits() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    let many = edit(post, [], pictures: 9, by: ann)
    #expect(many.status == 422 && many.shows("images_note"))
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
    let long = String(repeating: "字", count: 2001)
    let answer = ann.upload(
      "\(post)/edit", [("content", long)], files: [("images", SmallPicture.png)])
    #expect(answer.status == 422 && answer.shows(long) && answer.shows("/media/drafts/"))

    // The draft is kept for the next try, and can't be taken by another person.
    let draft = try #require(answer.value(of: "image_id_2"))
    let ben = try instance.signedIn("ben")
    let other = try ben.write("Mine")
    ben.post("\(other)/edit", ["content": "Mine", "image_id_1": draft])
    #expect(ben.get(other).pictures.isEmpty)
    ann.post("\(post)/edit", ["content": "Words", "image_id_2": draft, "description_2": "Kept"])
    #expect(try descriptions(post, in: instance) == ["", "Kept"])
    #expect(try instance.mediaFiles().count == 6)
  }

  @Test("A file that isn't a picture is named beside the others, which are kept")
  func notAPicture() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    let answer = ann.upload(
      "\(post)/edit", [("content", "Words")],
      files: [("images", SmallPicture.png), ("images", Array("no picture".utf8))])
    #expect(answer.status == 422 && answer.value(of: "image_id_1") != nil)
    #expect(ann.get(post).pictures.isEmpty)
  }
}
