import Accounts
import Images
import Web

/// What the pages of this module share.
struct FeedServices: Sendable {
  let site: Site
  let posts: PostStore
  let drafts: DraftStore
  let couples: CoupleStore
  let blocks: BlockStore
  let follows: FollowStore
  let search: SearchStore
  let limits: RateLimitStore
  let answers: AnswerStore
  let workshop: PictureWorkshop
  let folders: PictureFolders
  let news: any FeedNews
  let promotions: any Promotions
}
