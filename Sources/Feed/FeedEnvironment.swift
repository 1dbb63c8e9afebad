import Accounts
import Core
import Database
import Images
import Web

/// Dependencies shared by the pages and APIs of this module.
struct FeedEnvironment: Sendable {
  let site: AppEnvironment
  let posts: PostStore
  let cards: PostCards
  let postResponses: PostResponseCache
  let drafts: DraftStore
  let couples: CoupleStore
  let blocks: BlockStore
  let follows: FollowStore
  let search: SearchStore
  let limits: RateLimitStore
  let answers: FormReplayStore
  let imageProcessor: ImageProcessor
  let folders: PictureFolders
  let observer: any FeedObserver
  let promotions: any Promotions
  /// Feeds with fewer posts show no promotions.
  let minimumPromotedFeed: Int
  let today: @Sendable (Viewer, Context, ReadTransaction) throws -> HomeToday
  let moments: @Sendable (Viewer, Context, ReadTransaction) throws -> HomeMoments?
  let ownReports: @Sendable (Viewer, Context, ReadTransaction) throws -> [OwnPostReport]
}
