import Web

/// What the pages of this module share.
struct NoticeServices: Sendable {
  let site: Site
  let store: NoticeStore
  let limits: RateLimitStore
  let push: PushNeeds

  init(site: Site, limits: RateLimitStore, push: PushNeeds) {
    self.limits = limits
    self.push = push
    self.site = site
    store = NoticeStore(database: site.database)
  }
}
