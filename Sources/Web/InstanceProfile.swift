/// The operator's choices about an instance that its visitors see.
public struct InstanceProfile: Sendable {
  /// The rule for registering (docs/developer/accounts.md#who-may-register).
  public enum Registration: String, Sendable, CaseIterable {
    case open
    /// Only with an invitation of the operator, of a group or of a partner.
    case invitation
    /// Only partners that a member invites.
    case closed
  }

  /// The name of an instance whose operator chose none.
  public static let standardName = "PairSpot"
  /// The largest length of the name, in characters.
  public static let maximumName = 50
  /// The largest length of the note, in characters.
  public static let maximumNote = 300

  public let name: String
  /// A line of the operator's own on the front page; empty for none.
  public let note: String
  public let registration: Registration

  public init(name: String, note: String, registration: Registration) {
    self.name = name
    self.note = note
    self.registration = registration
  }
}
