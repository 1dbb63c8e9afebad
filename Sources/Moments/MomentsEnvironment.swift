import Accounts
import Core
import Database
import Films
import Images
import Web

/// Dependencies shared by the pages and APIs of this module.
struct MomentsEnvironment: Sendable {
  let site: AppEnvironment
  let limits: RateLimitStore
  let imageProcessor: ImageProcessor
  let films: FilmProcessor
  let files: MomentFiles
  let answers: any MomentAnswers
  let album: any MomentAlbum
  let moments = MomentStore()
  let replays = FormReplayStore()
  let couples: CoupleStore

  init(_ needs: MomentsModule.Dependencies) {
    site = needs.site
    limits = needs.limits
    imageProcessor = needs.imageProcessor
    films = needs.films
    files = MomentFiles(media: needs.media, mediaFolder: needs.mediaFolder)
    answers = needs.answers
    album = needs.album
    couples = CoupleStore(database: needs.site.database)
  }
}
