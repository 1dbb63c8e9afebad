import Accounts
import Basics
import Web

/// What the parts of this module share.
struct GroupServices: Sendable {
  let site: Site
  let store: GroupStore
  let writing: GroupWriting
  let limits: RateLimitStore
  let people: PeopleDirectory
  let standings = Standings()

  init(site: Site, limits: RateLimitStore, news: any GroupNews) {
    self.site = site
    self.limits = limits
    store = GroupStore(database: site.database)
    writing = GroupWriting(store: store, news: news)
    people = PeopleDirectory(keys: site.keys)
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
