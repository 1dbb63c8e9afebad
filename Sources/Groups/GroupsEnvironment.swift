import Accounts
import Core
import Web

/// What the parts of this module share.
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

  /// The group of a request's address, as far as its viewer is in it: else 404.
  func group(_ context: Context) throws -> Group {
    guard let group = try store.visible(context.id(), to: context.signedIn()) else {
      throw Problem.notFound
    }
    return group
  }

  /// Tells who is suspended why a leader's word isn't theirs; answers and emergencies are.
  func admit(_ kind: GroupEventKind, _ context: Context) throws {
    guard kind != .emergency, !GroupEventKind.answers.contains(kind),
      let suspended = context.suspended
    else { return }
    throw suspended
  }

  /// As `group`, for what only its leader may see: the others get 403.
  func ledGroup(_ context: Context) throws -> Group {
    let group = try group(context)
    guard group.isLed else { throw Problem.forbidden }
    return group
  }
}
