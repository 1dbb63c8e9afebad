import Core
import Foundation
import HTTPTypes
import PhotoMetadata
import Testing

@testable import Album
@testable import App
@testable import Web

extension TestClient {
  /// Sends a photo to the API with this browser's cookie.
  @discardableResult
  fileprivate func send(
    photo: [UInt8], _ fields: [String: String] = [:], key: String? = nil
  ) -> TestResponse {
    var body: [UInt8] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      body += Array(
        "--end\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    body += Array(
      "--end\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n".utf8)
    body += photo + Array("\r\n--end--\r\n".utf8)
    var headers: HTTPFields = [
      .contentType: "multipart/form-data; boundary=end", .csrfToken: freshToken(),
    ]
    if let key { headers[.idempotencyKey] = key }
    return send(.post, "/api/v1/photos", headers: headers, body: body)
  }
}

@Suite("/api/v1/photos is the album for apps")
struct PhotoAPITests {
  private let instance: TestInstance
  private let viewer: Viewer
  private let sam: TestClient

  init() throws {
    instance = try TestInstance()
    viewer = try instance.alone("sam")
    sam = try instance.signedIn("sam")
  }

  private func added(_ fields: [String: String] = [:]) throws -> String {
    let answer = sam.send(photo: SmallPicture.png, fields)
    try #require(answer.status == 201, "\(answer.text)")
    return try #require(answer.json["id"] as? String)
  }

  @Test("A photo is added with a story, which is then in its file and shown in every place")
  func addAndRead() throws {
    let id = try added(["story": "海邊 👨‍👩‍👧"])
    #expect(try instance.onlyPhoto().story == "海邊 👨‍👩‍👧")
    let photo = sam.call(.get, "/photos/\(id)").json
    #expect(photo["story"] as? String == "海邊 👨‍👩‍👧" && photo["format"] as? String == "png")
    #expect(photo["version"] as? Int == 1 && photo["shared"] as? Bool == false)
    #expect(photo["taken_at"] is NSNull && photo["caption"] is NSNull)
    #expect(sam.call(.get, "/photos/\(id)/story").json["story"] as? String == "海邊 👨‍👩‍👧")
    for name in ["medium_url", "thumbnail_url", "url"] {
      let url = try #require(photo[name] as? String)
      let path = try #require(url.firstMatch(of: /https?:\/\/[^\/]+(\/.*)/)?.output.1)
      #expect(sam.get(String(path)).status == 200, "\(url)")
    }
    let file = sam.call(.get, "/photos/\(id)/file")
    #expect(file.headers[.contentType] == "image/png")
    #expect(file.headers[.contentDisposition]?.hasPrefix("attachment") == true)
  }

  @Test("A photo keeps the story that it brings, unless another one is sent along")
  func bringsStory() throws {
    let withStory = try SmallPhoto.png(story: "Brought")
    #expect(sam.send(photo: withStory).json["story"] as? String == "Brought")
    #expect(sam.send(photo: withStory, ["story": "Sent"]).json["story"] as? String == "Sent")
  }

  @Test("An unacceptable file is refused with its status, and nothing is kept")
  func refused() throws {
    let unsupported = sam.send(photo: Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 40))
    #expect(unsupported.text.contains("This format isn’t supported."))
    #expect(unsupported.status == 415 && unsupported.code == "unsupported_format")
    #expect(unsupported.fieldErrors["file"]?.contains("GIF") == true)
    let damaged = sam.send(photo: Array(SmallPicture.png.dropLast(20)))
    #expect(damaged.status == 422 && damaged.code == "not_acceptable_picture")
    let large = sam.send(photo: SmallPicture.png + [UInt8](repeating: 0, count: 31 << 20))
    #expect(large.status == 413 && large.code == "payload_too_large")
    let long = sam.send(
      photo: SmallPicture.png, ["story": String(repeating: "長", count: 301)])
    #expect(long.status == 422 && long.fieldErrors["story"] != nil)
    #expect(try instance.photoFiles().isEmpty)
    #expect(sam.call(.post, "/photos", "{}").status == 415)
  }

  @Test("The same key with the same photo makes one photo")
  func idempotent() throws {
    let first = sam.send(photo: SmallPicture.png, key: "k1")
    let second = sam.send(photo: SmallPicture.png, key: "k1")
    #expect(first.status == 201 && second.status == 201 && first.text == second.text)
    #expect((sam.call(.get, "/photos").json["photos"] as? [Any])?.count == 1)
  }

  @Test("Pages of the list go from the newest to the oldest, each photo once")
  func pages() throws {
    var ids: [String] = []
    for _ in 0..<5 {
      ids.append(try added())
      instance.clock.advance(seconds: 1)
    }
    var found: [String] = []
    var cursor: String? = ""
    while let at = cursor {
      let page = sam.call(.get, "/photos?limit=2\(at.isEmpty ? "" : "&cursor=\(at)")").json
      let photos = try #require(page["photos"] as? [[String: Any]])
      found += photos.compactMap { $0["id"] as? String }
      cursor = page["next_cursor"] as? String
    }
    #expect(found == ids.reversed())
    #expect(sam.call(.get, "/photos?cursor=nonsense").status == 422)
  }

  @Test("A story is saved over the photo or into a copy; an old version is a conflict")
  func stories() throws {
    let id = try added()
    let saved = sam.call(.put, "/photos/\(id)/story", #"{"story":"One","version":1}"#)
    #expect(saved.status == 200 && saved.json["version"] as? Int == 2)
    let old = sam.call(.put, "/photos/\(id)/story", #"{"story":"Two","version":1}"#)
    #expect(old.status == 409 && old.code == "conflict")
    let copying = #"{"story":"Three","as_copy":true}"#
    let copy = sam.call(.put, "/photos/\(id)/story", copying, headers: [.idempotencyKey: "c"])
    #expect(copy.status == 201 && copy.json["id"] as? String != id)
    let again = sam.call(.put, "/photos/\(id)/story", copying, headers: [.idempotencyKey: "c"])
    #expect(again.status == 201 && again.text == copy.text)
    for faulty in [#"{"story":" "}"#, #"{}"#, #"{"story":"a\u0007"}"#] {
      #expect(sam.call(.put, "/photos/\(id)/story", faulty).status == 422)
    }
    #expect(sam.call(.delete, "/photos/\(id)/story").status == 204)
    #expect(sam.call(.get, "/photos/\(id)/story").text.contains("\"story\":null"))
    #expect(sam.call(.delete, "/photos/\(id)/story").status == 204)
  }

  @Test("A story changed on disk is returned by the story's URL")
  func readFromFile() throws {
    let id = try added(["story": "Ours"])
    let album = instance.instance.features.album.services
    let photoID = try #require(ID<Photo>(id))
    let photo = try #require(try album.photos.visible(photoID, to: viewer))
    let path = album.folders.original(photo.files)
    try PhotoFile.write(PhotoStory("By other means"), into: path, as: path)
    #expect(sam.call(.get, "/photos/\(id)/story").json["story"] as? String == "By other means")
  }

  @Test("The partner sees shared photos, and can't change them; others find nothing")
  func sharing() throws {
    _ = try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let id = try #require(
      ann.send(photo: SmallPicture.png, ["shared": "true"]).json["id"] as? String)
    #expect(ben.call(.get, "/photos/\(id)").json["shared"] as? Bool == true)
    let listed = try #require(ben.call(.get, "/photos").list("photos").first)
    let owner = try #require(listed["owner"] as? [String: Any])
    #expect(owner["display_name"] as? String == "Ann")
    #expect(owner["id"] as? String == ann.call(.get, "/account").json["id"] as? String)
    #expect(ben.call(.put, "/photos/\(id)/story", #"{"story":"Mine"}"#).status == 403)
    #expect(ben.call(.delete, "/photos/\(id)").status == 403)
    #expect(sam.call(.get, "/photos/\(id)").status == 404)
    #expect(ann.call(.patch, "/photos/\(id)", #"{"shared":false}"#).status == 200)
    #expect(ben.call(.get, "/photos/\(id)").status == 404)
    let own = try added()
    #expect(sam.call(.patch, "/photos/\(own)", #"{"shared":true}"#).status == 403)
    #expect(sam.call(.delete, "/photos/\(own)").status == 204)
    #expect(sam.call(.get, "/photos/\(own)").status == 404)
  }

  @Test("A choice that isn't true or false is refused, and no photo kept")
  func choices() throws {
    for field in ["shared", "keep_date"] {
      for word in ["", "1", "yes", "True"] {
        let answer = sam.send(photo: SmallPicture.png, [field: word])
        #expect(answer.status == 422 && answer.fieldErrors.keys.sorted() == [field], "\(word)")
      }
      #expect(sam.send(photo: SmallPicture.png, [field: "false"]).status == 201)
    }
    #expect(sam.call(.get, "/photos").list("photos").count == 2)
  }

  @Test("A post of a photo is for the couple unless set, and only its owner makes one")
  func posts() throws {
    _ = try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let id = try #require(
      ann.send(photo: SmallPicture.png, ["shared": "true"]).json["id"] as? String)
    let post = ann.call(.post, "/photos/\(id)/post", #"{"content":"By the sea"}"#)
    #expect(post.status == 201 && post.json["content"] as? String == "By the sea")
    #expect(post.json["visibility"] as? String == "couple")
    #expect((post.json["images"] as? [Any])?.count == 1)
    #expect(ann.get("/").shows("By the sea"))
    let open = ann.call(.post, "/photos/\(id)/post", #"{"visibility":"public"}"#)
    #expect(open.status == 201 && open.json["visibility"] as? String == "public")
    #expect(ben.call(.post, "/photos/\(id)/post", "{}").status == 403)
    #expect(sam.call(.post, "/photos/\(id)/post", "{}").status == 404)
    #expect(
      ann.call(.post, "/photos/\(id)/post", #"{"visibility":"friends"}"#).status == 422)
    let some = ann.call(.post, "/photos/\(id)/post", #"{"visibility":"followers"}"#)
    #expect(some.status == 201 && some.json["visibility"] as? String == "followers")
    let long = String(repeating: "n", count: 2001)
    let refused = ann.call(.post, "/photos/\(id)/post", #"{"content":"\#(long)"}"#)
    #expect(refused.status == 422 && refused.fieldErrors["content"] != nil)
  }

  @Test("The time is in UTC: by the camera's zone, else by the viewer's")
  func moments() throws {
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    let noted = PhotoMoment(localTime: "2026-11-21T09:30:05", offset: 60)
    #expect(noted.instant(in: zone) == Instant(rfc3339: "2026-11-21T08:30:05Z"))
    let plain = PhotoMoment(localTime: "2026-11-21T09:30:05", offset: nil)
    #expect(plain.instant(in: zone) == Instant(rfc3339: "2026-11-21T01:30:05Z"))
    #expect(PhotoMoment(localTime: "2026-11-21", offset: nil).instant(in: zone) == nil)
  }
}
