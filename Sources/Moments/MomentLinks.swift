import Core
import Films
import Images

/// Paths of this module's pages and files.
public enum MomentLinks {
  /// Sending to it makes a moment.
  public static let moments = "/moments"
  /// The form of a new moment.
  public static let new = "/moments/new"

  /// The moments of a couple: the first one that the viewer has not seen.
  public static func couple(_ id: ID<Couple>) -> String { "\(moments)/\(id)" }

  static func moment(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(self.couple(couple))/\(id)"
  }

  static func viewers(
    of id: ID<Moment>, of couple: ID<Couple>, after cursor: String? = nil
  ) -> String {
    "\(moment(id, of: couple))/viewers" + (cursor.map { "?after=\($0)" } ?? "")
  }

  static func delete(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(moment(id, of: couple))/delete"
  }

  static func keep(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(moment(id, of: couple))/keep"
  }

  /// The film, for its author to save.
  static func film(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(moment(id, of: couple))/film"
  }

  static func answer(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(moment(id, of: couple))/answer"
  }

  /// A page of the moderation module.
  static func report(_ id: ID<Moment>, of couple: ID<Couple>) -> String {
    "\(moment(id, of: couple))/report"
  }

  /// The path of one of its files.
  static func file(_ name: String, of moment: ID<Moment>) -> String {
    "/media/moments/\(moment)/\(name)"
  }
}

extension Moment {
  /// The path of the picture in a size, or of the still image of a film.
  func picture(_ variant: PictureVariant, fileExtension: String? = nil) -> String {
    switch content {
    case .picture(let stored, _):
      let name = variant.fileName(
        id: file.description, fileExtension: fileExtension ?? stored)
      return MomentLinks.file(name, of: id)
    case .film: return MomentLinks.file(FilmFiles.poster(file.description), of: id)
    }
  }

  /// The path of the film; nil for a picture.
  var film: String? {
    isFilm ? MomentLinks.file(FilmFiles.film(file.description), of: id) : nil
  }
}
