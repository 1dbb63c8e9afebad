import Basics
import Database
import Foundation
import Jobs

/// What the worker does for this room.
struct FeedJobs {
  /// How long deleted posts keep their files, in s (feed.md, "Posts").
  static let keptAfterDeletion: Int64 = .days(30)

  let services: FeedServices

  var all: [JobKind] {
    [
      .recurring("feed.purge-drafts", every: .hours(1)) { try purgeDrafts(now: $0) },
      .recurring("feed.purge-posts", every: .hours(6)) { try purgePosts(now: $0) },
      .recurring("feed.purge-answers", every: .hours(1)) {
        try services.answers.purge(now: $0, in: services.site.database)
      },
    ]
  }

  private func purgeDrafts(now: Instant) throws {
    for (person, image) in try services.drafts.purge(now: now) {
      services.folders.remove(image, in: PictureFolders.drafts(of: person))
    }
  }

  private func purgePosts(now: Instant) throws {
    let gone = try services.site.database.write { writer in
      try writer.rows(
        "DELETE FROM posts WHERE deleted_at < ? RETURNING id, couple_id",
        now.adding(seconds: -Self.keptAfterDeletion)
      ) { (try $0.id(0, Post.self), try $0.id(1, Couple.self)) }
    }
    for (post, couple) in gone {
      let folder =
        "\(services.folders.mediaFolder)/\(PictureFolders.post(post, of: couple))"
      if FileManager.default.fileExists(atPath: folder) {
        try FileManager.default.removeItem(atPath: folder)
      }
    }
  }
}
