import Core
import Database
import Jobs
import Web

/// Background jobs of this module.
struct FeedJobs {
  /// One run takes 20 s at most; other writers get their turn between two batches.
  private static let batchesAtOnce = 100
  /// 500 pages each: more than the index of a million posts has.
  private static let mergesAtOnce = 500

  let services: FeedEnvironment

  var all: [JobKind] {
    [
      .recurring("feed.purge-drafts", every: .hours(1)) { try purgeDrafts(now: $0) },
      .recurring("feed.purge-posts", every: .hours(6)) { try purgePosts(now: $0) },
      .recurring("feed.purge-answers", every: .hours(1)) {
        try services.answers.purge(now: $0, in: services.site.database)
      },
      .recurring("feed.index-search", every: .minutes(1)) { _ in try indexSearch() },
      .recurring("feed.tidy-search", every: .days(7)) { _ in try mergeSearchIndex() },
    ]
  }

  /// Indexes older posts and new names. Each batch is committed separately, so an interrupted run
  /// continues with the next one.
  private func indexSearch() throws {
    let database = services.site.database
    for step in [SearchIndex().putNames, SearchIndex().indexOlder] {
      var batches = 0
      while batches < Self.batchesAtOnce, try database.write({ try step($0) }) { batches += 1 }
    }
  }

  /// Deletions from the index are only marked until its segments are merged. Once a week all
  /// segments are merged in small steps, so that deleted text is really removed. PostgreSQL does
  /// so by itself.
  private func mergeSearchIndex() throws {
    guard services.site.database.isSQLite else { return }
    for index in SearchIndex.IndexKind.allCases {
      var isFirst = true
      for _ in 0..<Self.mergesAtOnce {
        let isOver = try services.site.database.write {
          try !SearchIndex().merge(index, all: isFirst, in: $0)
        }
        if isOver { break }
        isFirst = false
      }
    }
  }

  private func purgeDrafts(now: Instant) throws {
    for (person, image) in try services.drafts.purge(now: now) {
      services.folders.remove([image], in: PictureFolders.drafts(of: person))
    }
  }

  private func purgePosts(now: Instant) throws {
    let oldest = DeletionPeriod.start(now: now)
    while try services.site.database.write({
      try CommentWriter().purge(deletedBefore: oldest, limit: 1000, in: $0)
    }) {}
    let deleted = try services.site.database.write { writer in
      let deleted = try PostStore.purge(deletedBefore: oldest, in: writer)
      try SearchIndex().sweep(in: writer)
      return deleted
    }
    // A folder that can't be removed now does not stop the others.
    var failure: (any Error)?
    for (post, couple) in deleted {
      do {
        try services.folders.removeAll(in: PictureFolders.post(post, of: couple))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
