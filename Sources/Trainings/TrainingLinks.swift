import Core
import Images
import Web

/// The addresses of trainings.
public enum TrainingLinks {
  public static let all = "/workouts/trainings"
  static let admin = WebLinks.adminTrainings
  static let new = "\(admin)/new"

  public static func one(_ id: ID<Training>) -> String { "\(all)/\(id)" }

  static func service(_ id: ID<Training>) -> String { "\(admin)/\(id)" }
  static func edit(_ id: ID<Training>) -> String { "\(service(id))/edit" }
  static func cover(_ id: ID<Training>) -> String { "\(service(id))/cover" }
  static func video(_ id: ID<Training>) -> String { "\(service(id))/video" }
  static func captions(_ id: ID<Training>) -> String { "\(service(id))/captions" }
  static func delete(_ id: ID<Training>) -> String { "\(service(id))/delete" }

  /// A size of the cover, as WebP if available and requested.
  public static func picture(
    _ cover: TrainingCover, _ variant: PictureVariant, of training: ID<Training>,
    asWebP: Bool = false
  ) -> String {
    media(training, TrainingFiles.name(of: cover, variant, asWebP: asWebP))
  }

  public static func videoFile(_ video: TrainingVideo, of training: ID<Training>) -> String {
    media(training, TrainingFiles.name(of: video))
  }

  public static func captions(
    _ captions: TrainingCaptions, of training: ID<Training>
  ) -> String {
    media(training, TrainingFiles.name(of: captions))
  }

  private static func media(_ training: ID<Training>, _ name: String) -> String {
    "/media/\(TrainingFiles.folder(training))/\(name)"
  }
}
