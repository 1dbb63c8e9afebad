import Core
import Database
import Images

/// The addresses of these pages.
public enum AlbumLinks {
  public static let album = "/album"

  static func album(after cursor: PageCursor<Photo>) -> String { "\(album)?after=\(cursor.text)" }

  public static func photo(_ id: ID<Photo>) -> String { "\(album)/\(id)" }
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
