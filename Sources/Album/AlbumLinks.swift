import Accounts
import Core
import Database
import Foundation
import Images

/// The addresses of these pages.
public enum AlbumLinks {
  public static let album = "/album"

  /// A tab of the album, a search in it, and one of its pages; with boxes to select photos.
  static func album(
    _ filter: AlbumFilter, after cursor: PageCursor<Photo>? = nil, isSelecting: Bool = false
  ) -> String {
    var address = URLComponents()
    address.queryItems = [
      filter.tab == .all ? nil : URLQueryItem(name: "tab", value: filter.tab.rawValue),
      filter.search.isEmpty ? nil : URLQueryItem(name: "q", value: filter.search),
      cursor.map { URLQueryItem(name: "after", value: $0.text) },
      isSelecting ? URLQueryItem(name: "select", value: "1") : nil,
    ].compactMap { $0 }
    guard let query = address.percentEncodedQuery, !query.isEmpty else { return album }
    // A plus sign would be decoded as a space.
    return "\(album)?\(query.replacing("+", with: "%2B"))"
  }

  static let selected = "\(album)/selected"
  static let deleted = AccountLinks.deletedPhotos
  static func restore(_ id: ID<Photo>) -> String { "\(album)/\(id)/restore" }
  /// Removes a deleted photo for good.
  static func erase(_ id: ID<Photo>) -> String { "\(album)/\(id)/erase" }

  public static func photo(_ id: ID<Photo>) -> String { "\(album)/\(id)" }
  /// The photo in full size.
  static func view(_ id: ID<Photo>) -> String { "\(album)/\(id)/view" }
  static func favourite(_ id: ID<Photo>) -> String { "\(album)/\(id)/favourite" }
  public static func story(_ id: ID<Photo>) -> String { "\(album)/\(id)/story" }
  public static func file(_ id: ID<Photo>) -> String { "\(album)/\(id)/file" }
  public static func post(_ id: ID<Photo>) -> String { "\(album)/\(id)/post" }
  public static func delete(_ id: ID<Photo>) -> String { "\(album)/\(id)/delete" }

  static func picture(
    _ photo: Photo, _ variant: PictureVariant, asWebP: Bool = false
  ) -> String {
    "/media/photos/\(photo.id)/\(photo.files.pictureName(variant, asWebP: asWebP))"
  }
}
