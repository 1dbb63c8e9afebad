import Web

/// Dependencies shared by the pages and APIs of this module.
struct NoticesEnvironment: Sendable {
  let site: AppEnvironment
  let store: NoticeStore
  let limits: RateLimitStore
  let push: PushDependencies

  init(site: AppEnvironment, limits: RateLimitStore, push: PushDependencies) {
    self.limits = limits
    self.push = push
    self.site = site
    store = NoticeStore(database: site.database)
  }
}
