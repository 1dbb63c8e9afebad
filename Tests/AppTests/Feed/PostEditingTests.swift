import Core
import Foundation
import Testing

@testable import App

@Suite("Changing posts")
struct PostEditingTests {
  @Test("Only the author edits; others than the couple neither edit, delete nor narrow")
  func rights() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let ann = try instance.signedIn("ann")
    let open = try ann.write("For all")
    let hidden = try ann.write("Ours alone", visibility: "couple")
    let (ben, sam) = (try instance.signedIn("ben"), try instance.signedIn("sam"))
    for action in ["edit", "delete", "narrow"] {
      for (browser, post, status) in [
        (ben, open, 403), (ben, hidden, 403), (sam, open, 403), (sam, hidden, 404),
      ] where browser === sam || action == "edit" {
        if action != "narrow" { #expect(browser.get("\(post)/\(action)").status == status) }
        let fields: KeyValuePairs = ["content": "Changed", "visibility": "public"]
        #expect(browser.post("\(post)/\(action)", fields).status == status)
      }
    }
    for action in ["edit", "delete"] {
      #expect(instance.browser().get("\(open)/\(action)").location?.hasPrefix("/sign-in") == true)
    }
    #expect(try instance.count("SELECT count(*) FROM posts WHERE deleted_at IS NULL") == 2)
    #expect(try instance.count("SELECT count(*) FROM posts WHERE content = 'Changed'") == 0)
  }

  @Test("The partner lets only the two see a post, whose pictures get new addresses, or deletes it")
  func partner() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let sam = try instance.signedIn("sam")
    let post = try ann.writeWithPicture("Our words")
    let picture = try #require(ann.get(post).pictures.first { $0.contains("/posts/") })
    let menu = ben.get(post)
    #expect(menu.shows("\(post)/narrow") && menu.shows("\(post)/delete"))
    #expect(!menu.shows("\(post)/edit") && !ann.get(post).shows("\(post)/narrow"))
    #expect(ben.post("\(post)/narrow").location == post)
    #expect(ben.get(post).shows("Our words") && !ben.get(post).shows("\(post)/narrow"))
    #expect(sam.get(post).status == 404 && sam.get(picture).status == 404)
    #expect(ann.get(picture).status == 404)
    #expect(!sam.get("/search?q=words").shows("Our words"))
    #expect(ben.post("\(post)/narrow").location == post)

    #expect(ben.get("\(post)/delete").status == 200)
    #expect(ben.post("\(post)/delete").status == 303)
    for browser in [ann, ben] {
      #expect(browser.get(post).status == 404)
      #expect(browser.get("/posts/deleted").shows("Our words"))
    }
    #expect(ann.post("\(post)/restore").location == post)
    #expect(ben.call(.delete, post).status == 204)
    #expect(ben.post("\(post)/restore").location == post)
  }

  @Test("After parting, neither deletes, narrows or sees in the bin what the other wrote")
  func parted() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let (post, deleted) = (try ann.write("Kept words"), try ann.write("Deleted words"))
    ann.post("\(deleted)/delete")
    let comment = try ann.comment("Mine", on: post)
    #expect(ben.get(post).shows("/comments/\(comment)/delete"))
    #expect(ben.get("/posts/deleted").shows("Deleted words"))
    #expect(ann.part().status == 303)
    for action in ["delete", "narrow"] {
      #expect(!ben.get(post).shows("\(post)/\(action)"))
      #expect(ben.post("\(post)/\(action)").status == 403)
    }
    #expect(!ben.get(post).shows("/comments/\(comment)/delete"))
    #expect(ben.post("/comments/\(comment)/delete").status == 404)
    #expect(ben.call(.delete, post).status == 403)
    #expect(!ben.get("/posts/deleted").shows("Deleted words"))
    #expect(ann.get("/posts/deleted").shows("Deleted words"))
  }

  @Test("The words of a form that was opened before the partner narrowed a post do not widen it")
  func narrowedMeanwhile() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let post = try ann.write("Our wrods")
    let before = try #require(ann.get("\(post)/edit").value(of: "visibility_before"))
    ben.post("\(post)/narrow")
    ann.post(
      "\(post)/edit",
      ["content": "Our words", "visibility": "public", "visibility_before": before])
    #expect(ann.get(post).shows("Our words") && instance.browser().get(post).status == 404)
    ann.post(
      "\(post)/edit",
      ["content": "Our words", "visibility": "public", "visibility_before": "couple"])
    #expect(instance.browser().get(post).status == 200)
  }

  @Test("An edit shows the new words and that there was one")
  func edit() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Old <b>words</b>")
    #expect(ann.get(post).shows("Old &lt;b&gt;words&lt;/b&gt;"))
    let before = ann.get(post).text
    #expect(ann.post("\(post)/edit", ["content": "New words"]).location == post)
    let after = ann.get(post)
    #expect(after.shows("New words") && !after.shows("Old "))
    #expect(!before.contains("edited") && after.shows("edited"))
  }

  @Test("Saved as it was, a post doesn't say that it was edited")
  func editOfNothing() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    #expect(
      ann.post("\(post)/edit", ["content": "Words", "visibility": "public"]).location == post)
    #expect(!ann.get(post).text.contains("edited"))
    #expect(try instance.count("SELECT count(*) FROM posts WHERE edited_at IS NOT NULL") == 0)
  }

  @Test("A choice that there isn't is ignored")
  func noSuchVisibility() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.write("Words")
    ann.post("\(post)/edit", ["content": "Words", "visibility": "friends"])
    ann.post("/posts", ["content": "More", "visibility": "friends"])
    #expect(try instance.count("SELECT count(*) FROM posts WHERE visibility = 'public'") == 2)
  }

  @Test("A text that is too long or missing is 422 with the input")
  func wrongWords() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let long = String(repeating: "字", count: 2001)
    for target in ["/posts", "\(try ann.write("Fine"))/edit"] {
      ann.get("/")
      let answer = ann.post(target, ["content": long, "visibility": "couple"])
      #expect(answer.status == 422 && answer.shows(long))
      #expect(ann.post(target, ["content": "  \r\n ", "visibility": "public"]).status == 422)
    }
    #expect(ann.post("/posts", ["content": String(long.dropLast())]).status == 303)
  }

  @Test("Narrowing a post gives its pictures new names, and the old links die for all")
  func narrowing() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("For all")
    let before = ann.get(post).pictures
    let files = try instance.mediaFiles()
    #expect(files.count == 3)
    ann.post("\(post)/edit", ["content": "Ours", "visibility": "couple"])
    let after = ann.get(post).pictures
    #expect(Set(before).isDisjoint(with: after) && after.count == before.count)
    for picture in before { #expect(ann.get(picture).status == 404) }
    for picture in after { #expect(ann.get(picture).headers[.accelRedirect] != nil) }
    #expect(try instance.mediaFiles().isDisjoint(with: files))
    #expect(try instance.mediaFiles().count == 3)
  }

  @Test("Widening a post leaves its pictures' names")
  func widening() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Ours", visibility: "couple")
    let before = ann.get(post).pictures
    ann.post("\(post)/edit", ["content": "For all", "visibility": "public"])
    #expect(ann.get(post).pictures == before)
  }

  @Test("A picture is taken out with its files; ids of others' pictures change nothing")
  func takingOut() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let (own, other) = (try ann.writeWithPicture("Mine"), try ben.writeWithPicture("Yours"))
    let foreign = try #require(
      ben.get("\(other)/edit").value(of: "image_id_1"))
    ann.post(
      "\(own)/edit", ["content": "Mine", "image_id_1": foreign, "remove_1": "1"])
    #expect(try instance.count("SELECT count(*) FROM post_images") == 2)
    let id = try #require(ann.get("\(own)/edit").value(of: "image_id_1"))
    ann.post("\(own)/edit", ["content": "Mine", "image_id_1": id, "remove_1": "1"])
    #expect(ann.get(own).pictures.isEmpty)
    #expect(try instance.mediaFiles().allSatisfy { !$0.contains(id) })
    #expect(try instance.mediaFiles().count == 3)
  }

  @Test("Thirty days after deletion rows and files are gone")
  func purge() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("For all")
    let stays = try ann.writeWithPicture("Stays")
    ann.get(post)
    ann.post("\(post)/like")
    ann.post("\(post)/delete")
    instance.clock.advance(seconds: 29 * 86_400)
    try instance.work()
    #expect(try instance.mediaFiles().count == 6)
    instance.clock.advance(seconds: 86_400 + 6 * 3600 + 1)
    try instance.work()
    #expect(try instance.mediaFiles().count == 3)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
    #expect(try instance.count("SELECT count(*) FROM post_images") == 1)
    #expect(try instance.count("SELECT count(*) FROM likes") == 0)
    #expect(ann.get(stays).status == 200 || ann.get("/").shows("/register"))
  }
}
