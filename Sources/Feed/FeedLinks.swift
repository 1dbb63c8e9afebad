import Accounts
import Core
import Database
import Foundation
import Images

/// Paths of this module's pages; always built here, never written by hand.
public enum FeedLinks {
  public static let posts = "/posts"

  /// The feed or its tab "Following".
  public static func feed(_ scope: FeedScope = .everyone, after cursor: PageCursor<Post>?) -> String
  {
    let query = [
      scope == .following ? "scope=following" : nil, cursor.map { "after=\($0.text)" },
    ].compactMap { $0 }
    return query.isEmpty ? "/" : "/?\(query.joined(separator: "&"))"
  }

  public static func post(_ id: ID<Post>) -> String { "\(posts)/\(id)" }

  /// The post with this path; nil if the path is not a post's.
  static func post(at address: String) -> ID<Post>? {
    address.hasPrefix("\(posts)/") ? ID<Post>(address.dropFirst(posts.count + 1)) : nil
  }

  public static func edit(_ id: ID<Post>) -> String { "/posts/\(id)/edit" }
  public static func delete(_ id: ID<Post>) -> String { "/posts/\(id)/delete" }
  static func narrow(_ id: ID<Post>) -> String { "/posts/\(id)/narrow" }
  static func restore(_ id: ID<Post>) -> String { "/posts/\(id)/restore" }
  static func save(_ id: ID<Post>) -> String { "/posts/\(id)/save" }
  static func unsave(_ id: ID<Post>) -> String { "/posts/\(id)/unsave" }
  /// The posts that the viewer saved.
  static func saved(after cursor: PageCursor<Post>?) -> String {
    cursor.map { "\(posts)/saved?after=\($0.text)" } ?? "\(posts)/saved"
  }
  public static func like(_ id: ID<Post>) -> String { "/posts/\(id)/like" }
  /// The people who like a post, after one of them.
  static func likes(_ id: ID<Post>, after last: ID<Person>? = nil) -> String {
    "/posts/\(id)/likes" + (last.map { "?after=\($0)" } ?? "")
  }

  /// The comments of a post: those before one of them, or after one was deleted.
  static func comments(
    _ id: ID<Post>, before first: ID<Comment>? = nil, deleted: ID<Comment>? = nil
  ) -> String {
    if let first { return "/posts/\(id)?before=\(first)#comments" }
    if let deleted { return "/posts/\(id)?deleted=\(deleted)#comments" }
    return "/posts/\(id)/comments"
  }

  static func comment(_ id: ID<Comment>, of post: ID<Post>) -> String {
    "/posts/\(post)#comment-\(id)"
  }

  static func delete(_ id: ID<Comment>) -> String { "/comments/\(id)/delete" }
  static func restore(_ id: ID<Comment>) -> String { "/comments/\(id)/restore" }
  static func report(_ id: ID<Comment>) -> String { "/comments/\(id)/report" }

  public static func unlike(_ id: ID<Post>) -> String { "/posts/\(id)/unlike" }

  public static func couple(_ id: ID<Couple>, after cursor: PageCursor<Post>? = nil) -> String {
    cursor.map { "/couples/\(id)?after=\($0.text)" } ?? "/couples/\(id)"
  }

  public static let search = "/search"

  /// A page of search results: posts before a place of the index, or the newest.
  static func search(_ query: String, before place: Int64? = nil) -> String {
    var address = URLComponents()
    address.queryItems =
      [URLQueryItem(name: "q", value: query)]
      + [place.map { URLQueryItem(name: "before", value: "\($0)") }].compactMap(\.self)
    // A plus sign would be decoded as a space.
    return search + "?" + (address.percentEncodedQuery ?? "").replacing("+", with: "%2B")
  }

  /// One picture of a post in full size; numbers start at 1.
  static func picture(_ number: Int, of post: ID<Post>) -> String {
    "/posts/\(post)/pictures/\(number)"
  }

  static let blocks = AccountLinks.blocks
  static func block(_ id: ID<Couple>) -> String { "/couples/\(id)/block" }
  static func follow(_ id: ID<Couple>) -> String { "/couples/\(id)/follow" }
  static func unfollow(_ id: ID<Couple>) -> String { "/couples/\(id)/unfollow" }
  /// A page of the messages module.
  static func message(_ id: ID<Couple>) -> String { "/couples/\(id)/message" }

  static func followers(
    _ id: ID<Couple>, after cursor: PageCursor<Couple>? = nil
  ) -> String {
    let list = "/couples/\(id)/followers"
    return cursor.map { "\(list)?after=\($0.text)" } ?? list
  }

  static func promote(_ id: ID<Post>) -> String { "/posts/\(id)/promote" }
  static func report(_ id: ID<Post>) -> String { "/posts/\(id)/report" }
  static func report(_ id: ID<Couple>) -> String { "/couples/\(id)/report" }

  static func picture(
    _ picture: Picture, _ variant: PictureVariant, of post: ID<Post>, couple: ID<Couple>,
    fileExtension: String? = nil
  ) -> String {
    let name = variant.fileName(
      id: picture.id.description, fileExtension: fileExtension ?? picture.fileExtension)
    return pictures(of: post, couple: couple) + name
  }

  /// Common prefix of the URLs of a post's pictures.
  static func pictures(of post: ID<Post>, couple: ID<Couple>) -> String {
    "/media/couples/\(couple)/posts/\(post)/"
  }

  static func draft(_ draft: Draft) -> String { "/media/drafts/\(draft.id)" }
}
