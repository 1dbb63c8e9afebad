import Basics
import Images

/// Puts trainings out for everybody, without an admin at the desk: for the world of demonstrations.
public struct TrainingShelf: Sendable {
  let services: TrainingServices

  /// Publishes a training, with the picture file at `cover` as its cover. Throws a `PictureError`
  /// for what is no picture.
  public func publish(_ details: TrainingDetails, cover: String, now: Instant) throws {
    let id = ID<Training>(now: now)
    let cover = try services.files.keepCover(cover, of: id, services.workshop)
    do {
      try services.store.putOut(id, details, cover: cover, now: now)
    } catch {
      services.files.removeCover(cover.id, of: id)
      throw error
    }
  }
}
