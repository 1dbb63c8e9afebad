import Core
import Database

/// A published training, as far as workouts show it.
public struct FollowedTraining: Sendable, Equatable {
  /// The target of a stage, if a chart can show it.
  public enum Target: Sendable, Equatable {
    /// In W.
    case power(Int)
    /// Revolutions or strokes per minute.
    case cadence(Int)
  }

  /// A part of a training.
  public struct Stage: Sendable, Equatable {
    public let seconds: Int
    /// Nil for none, and for one that no chart shows.
    public let target: Target?

    public init(seconds: Int, target: Target?) {
      self.seconds = seconds
      self.target = target
    }
  }

  public let id: ID<FollowedTraining>
  public let name: String
  /// The address of its page.
  public let link: String
  /// In order.
  public let stages: [Stage]

  public init(id: ID<FollowedTraining>, name: String, link: String, stages: [Stage]) {
    self.id = id
    self.name = name
    self.link = link
    self.stages = stages
  }
}

/// The trainings as workouts need them; implemented outside this module.
public protocol FollowableTrainings: Sendable {
  /// All published trainings, in their order.
  func published() throws -> [FollowedTraining]

  /// A published training that the viewer may see; nil if there is none.
  func find(_ id: ID<FollowedTraining>, for viewer: Viewer) throws -> FollowedTraining?

  /// The names of those that are published.
  func names(
    of ids: Set<ID<FollowedTraining>>, in reader: ReadTransaction
  ) throws -> [ID<FollowedTraining>: String]
}
