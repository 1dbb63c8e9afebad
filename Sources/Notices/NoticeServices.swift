import Web

/// What the pages of this room share.
struct NoticeServices: Sendable {
  let site: Site
  let store: NoticeStore
  let push: PushNeeds

  init(site: Site, push: PushNeeds) {
    self.push = push
    self.site = site
    store = NoticeStore(database: site.database)
  }
}
