import Core
import Database
import Films
import Foundation
import Images
import Media

/// The files of moments: a folder for each.
struct MomentFiles {
  private static let root = "moments"
  /// The age, in s, from which a folder without a row is removed: its moment is over in any case.
  private static let orphanAge: Int64 = .days(1)

  let media: any MediaStore
  /// The folder of the store if it is one of this machine.
  let mediaFolder: String

  /// The folder of a moment below the media folder.
  static func folder(_ moment: ID<Moment>) -> String { "\(root)/\(moment)" }

  /// The names of a moment's files.
  static func names(_ file: ID<MomentFile>, _ content: Moment.Content) -> [String] {
    let id = file.description
    switch content {
    case .film: return [FilmFiles.film(id), FilmFiles.poster(id)]
    case .picture(let fileExtension, let hasWebP):
      let smaller: [PictureVariant] = hasWebP ? [.medium, .thumb] : []
      return PictureVariant.allCases.map { $0.fileName(id: id, fileExtension: fileExtension) }
        + smaller.map { $0.fileName(id: id, fileExtension: "webp") }
    }
  }

  /// The internal location from which nginx sends a file of a moment.
  func location(of name: String, _ moment: ID<Moment>) -> String {
    media.location(of: "\(Self.folder(moment))/\(name)")
  }

  /// Removes the folder of a moment; no error if there is none.
  func remove(_ moment: ID<Moment>) throws(MediaError) {
    try media.deleteAll(at: Self.folder(moment))
  }

  /// The moments with folders of this machine that have not changed for a day. Ages are measured by the system
  /// clock, as file times are, and not by the application's clock, which may be offset.
  func oldFolders(today: Instant = Instant(date: Date())) -> [ID<Moment>] {
    let root = "\(mediaFolder)/\(Self.root)"
    let latest = today.adding(seconds: -Self.orphanAge)
    return ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { name in
      var status = stat()
      guard let moment = ID<Moment>(name), lstat("\(root)/\(name)", &status) == 0,
        Instant(milliseconds: Int64(status.st_mtim.tv_sec) * 1000) < latest
      else { return nil }
      return moment
    }
  }
}
