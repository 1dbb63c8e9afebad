import Accounts
import Core
import Web

/// The services shared by the parts of this module.
struct GroupsEnvironment: Sendable {
  let site: AppEnvironment
  let store: GroupStore
  let writing: GroupWriter
  let limits: RateLimitStore
  let people: UserDirectory
  let moderationStatuses = ModerationStatuses()

  init(site: AppEnvironment, limits: RateLimitStore, observer: any GroupObserver) {
    self.site = site
    self.limits = limits
    store = GroupStore(database: site.database)
    writing = GroupWriter(store: store, observer: observer)
    people = UserDirectory(keys: site.keys)
  }

  /// The group of the request's path; throws 404 if the viewer is not a member.
  func group(_ context: Context) throws -> Group {
    guard let group = try store.visible(context.id(), to: context.signedIn()) else {
      throw Problem.notFound
    }
    return group
  }

  /// Refuses the leader's calls of a suspended user with the reason; answers and emergencies are
  /// allowed.
  func admit(_ kind: GroupEventKind, _ context: Context) throws {
    guard kind != .emergency, !GroupEventKind.answers.contains(kind),
      let suspended = context.suspended
    else { return }
    throw suspended
  }

  /// The same as `group`, for the leader only: other members get 403.
  func ledGroup(_ context: Context) throws -> Group {
    let group = try group(context)
    guard group.isLedByViewer else { throw Problem.forbidden }
    return group
  }
}
