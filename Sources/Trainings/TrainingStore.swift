import Accounts
import Core
import Database
import Web

/// Stores trainings: every account reads published ones, admins read and change all.
public struct TrainingStore: Sendable {
  /// The result of saving texts and stages.
  enum Saving: Equatable {
    case saved
    /// Another admin saved since the form was shown.
    case changedMeanwhile
    /// A published training must have stages.
    case needsStages
  }

  let database: Database
  /// The audit log of admin actions.
  let record: any AuditLogging

  private static let columns: Query = """
    id, name, description, difficulty, cover_id, cover_extension, cover_width, cover_height,
    cover_has_webp, video_id, video_bytes, video_seconds, captions_id, captions_language,
    published_at, updated_at
    """

  // MARK: Reading

  /// Published trainings, in the order set by admins.
  public func published() throws -> [Training] {
    try database.read { reader in
      let found = try reader.rows(
        """
        SELECT \(Self.columns) FROM trainings WHERE published_at IS NOT NULL
        ORDER BY position, id LIMIT \(TrainingRules.maximumTrainings)
        """, make: Self.training)
      return try Self.withStages(found, in: reader)
    }
  }

  /// All trainings including drafts, for an admin; empty for other viewers.
  func all(for viewer: Viewer) throws -> [Training] {
    guard viewer.role >= .admin else { return [] }
    return try database.read { reader in
      let found = try Self.all(in: reader)
      return try Self.withStages(found, in: reader)
    }
  }

  /// All trainings, without their stages.
  static func all(in reader: ReadTransaction) throws -> [Training] {
    try reader.rows(
      """
      SELECT \(columns) FROM trainings ORDER BY position, id LIMIT \(TrainingRules.maximumTrainings)
      """, make: training)
  }

  /// A training that the viewer may see; nil if absent, and for a draft if the viewer is not an
  /// admin.
  public func visible(_ id: ID<Training>, to viewer: Viewer) throws -> Training? {
    let found = try database.read { reader in
      let found = try reader.rows(
        "SELECT \(Self.columns) FROM trainings WHERE id = \(id)", make: Self.training)
      return try Self.withStages(found, in: reader).first
    }
    guard let found, found.isPublished || viewer.role >= .admin else { return nil }
    return found
  }

  /// Without its stages.
  private static func training(_ row: inout RowReader) throws -> Training {
    Training(
      id: try row.next(),
      details: TrainingDetails(
        name: try row.next(), description: try row.next(),
        difficulty: Training.Difficulty(rawValue: try row.next()) ?? .moderate, stages: []),
      cover: try cover(&row), video: try video(&row), captions: try captions(&row),
      publishedAt: try row.next(), updatedAt: try row.next())
  }

  private static func cover(_ row: inout RowReader) throws -> TrainingCover? {
    guard !row.isNextNull else {
      row.skip(5)
      return nil
    }
    return TrainingCover(
      id: try row.next(), fileExtension: try row.next(), width: try row.next(),
      height: try row.next(), hasWebP: try row.next())
  }

  private static func video(_ row: inout RowReader) throws -> TrainingVideo? {
    guard !row.isNextNull else {
      row.skip(3)
      return nil
    }
    return TrainingVideo(id: try row.next(), bytes: try row.next(), seconds: try row.next())
  }

  private static func captions(_ row: inout RowReader) throws -> TrainingCaptions? {
    let (id, language) = (try row.next(ID<TrainingFile>?.self), try row.next(String?.self))
    guard let id, let language = language.flatMap(Language.init(rawValue:)) else { return nil }
    return TrainingCaptions(id: id, language: language)
  }

  /// One query for the stages of all trainings.
  private static func withStages(
    _ trainings: [Training], in reader: ReadTransaction
  ) throws -> [Training] {
    let found = try reader.rows(
      """
      SELECT s.training_id, s.seconds, s.target, s.value, s.text
      FROM \(IDList(trainings.map(\.id))) AS i
      CROSS JOIN training_stages s WHERE s.training_id = i.id
      ORDER BY s.training_id, s.position
      """
    ) { (training: try $0.next(ID<Training>.self), stage: try stage(&$0)) }
    let stages = Dictionary(grouping: found, by: \.training)
    return trainings.map { training in
      var whole = training
      whole.details.stages = stages[training.id, default: []].map(\.stage)
      return whole
    }
  }

  private static func stage(_ row: inout RowReader) throws -> TrainingStage {
    let seconds = try row.next(Int.self)
    let kind = TrainingTarget.Kind(rawValue: try row.next()) ?? .free
    return TrainingStage(
      seconds: seconds, target: TrainingTarget(kind, try row.next()) ?? .free,
      text: try row.next())
  }
}
