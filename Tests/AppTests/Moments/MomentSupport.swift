import Foundation
import Testing

@testable import App

extension TestClient {
  /// Shares a moment by the form; returns the path of its page.
  @discardableResult
  func share(
    _ words: String, _ file: [UInt8] = SmallPicture.png, audience: String = "followers",
    nonce: String = UUID().uuidString
  ) throws -> String {
    // Moments of the same millisecond are in any order.
    let own = call(.get, "/account").json["couple_id"] as? String
    let before = own.map { Set(moments(of: $0)) } ?? []
    let answer = upload(
      "/moments", [("nonce", nonce), ("words", words), ("audience", audience)],
      files: [("file", file)])
    try #require(answer.status == 303, "\(answer.text)")
    let couple = try coupleID()
    let after = moments(of: couple)
    return "/moments/\(couple)/\(try #require(after.first { !before.contains($0) } ?? after.last))"
  }

  /// The identifiers of a couple's moments, the oldest first.
  func moments(of couple: String) -> [String] {
    call(.get, "/couples/\(couple)/moments").list("moments").compactMap { $0["id"] as? String }
  }

  /// The identifiers of the couples in the row of circles, those with unseen moments only or all.
  func circles(unseen: Bool = false) -> [String] {
    call(.get, "/moments").list("circles")
      .filter { !unseen || ($0["unseen"] as? Int ?? 0) > 0 }
      .compactMap { $0["couple_id"] as? String }
  }

  /// The names of the members who have seen a moment.
  func viewers(of moment: String) -> [String] {
    call(.get, "/moments/\(moment.suffix(36))/viewers").list("viewers").compactMap {
      ($0["user"] as? [String: Any])?["display_name"] as? String
    }
  }
}
