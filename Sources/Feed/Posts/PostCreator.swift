import Accounts
import Core
import Database
import Images
import Web

/// Creates drafts from pictures, and posts from text and drafts.
struct PostCreator {
  /// Posts of one user.
  static let posts = RateLimit("posts", maximum: 30, window: .hours(1))

  let services: FeedEnvironment

  /// Processes a picture and stores it as a draft of this user. Throws a `PictureError`.
  func draft(
    _ path: String, kind: PictureKind = .post, of viewer: Viewer, now: Instant
  ) throws(PictureError) -> Draft {
    let folder = try services.folders.path(PictureFolders.drafts(of: viewer.id))
    let made = try services.imageProcessor.process(file: path, kind: kind, into: folder)
    guard let id = ID<PostImage>(made.id) else { throw .failed("no identifier: \(made.id)") }
    let picture = Picture(
      id: id, fileExtension: made.fileExtension, width: made.width, height: made.height,
      hasWebP: made.hasWebP, description: "")
    let draft = Draft(id: id, picture: picture, bytes: made.bytes)
    do {
      try services.drafts.add(draft, of: viewer, now: now)
    } catch {
      PictureFiles.remove(id: made.id, in: folder)
      if case StorageError.full = error { throw .diskFull }
      throw .failed("\(error)")
    }
    return draft
  }

  /// Moves the pictures to their post and writes all rows in one transaction; returns the post's
  /// path. New file names are linked before it and old ones removed after it, so a crash in between
  /// loses nothing. The same nonce and hash return the first answer again.
  /// Throws 429 above the rate limit, unless the post isn't counted.
  func make(
    _ sent: NewPostForm, hash: [UInt8], by viewer: Viewer, isCounted: Bool = true, now: Instant
  ) throws -> String {
    let post = NewPost(id: ID(now: now), content: sent.content, visibility: sent.visibility)
    let location = FeedLinks.post(post.id)
    var linked: [(image: ID<PostImage>, folder: String)] = []
    do {
      let answer = try services.site.database.write { writer -> String in
        let before = try services.answers.location(
          of: sent.nonce, hash: hash, from: viewer, in: writer)
        if let before { return before }
        if isCounted,
          let wait = try services.limits.add(
            Self.posts, viewer.id.description, now: now, in: writer)
        {
          throw Problem.tooMany(retryAfter: wait)
        }
        let couple = try services.couples.coupleForPosting(viewer, now: now, in: writer)
        let images = try link(sent.pictures, to: post.id, of: couple, viewer, &linked)
        try PostWriter().add(
          post, couple: couple, by: viewer, images: images, now: now, in: writer)
        try FeedChannels.notify(post.visibility, of: couple, now: now, in: writer)
        try services.observer.posted(
          post.id, text: post.content, by: viewer.id, of: couple, now: now, in: writer)
        try services.drafts.remove(sent.allDrafts, of: viewer, in: writer)
        if !sent.nonce.isEmpty {
          try services.answers.remember(
            location, of: sent.nonce, hash: hash, from: viewer, now: now, in: writer)
        }
        return location
      }
      if answer == location { forget(sent.allDrafts, viewer) }
      return answer
    } catch {
      for (image, folder) in linked { services.folders.remove(image, in: folder) }
      throw error
    }
  }

  private func link(
    _ pictures: [(draft: Draft, description: String)], to post: ID<Post>, of couple: ID<Couple>,
    _ viewer: Viewer, _ linked: inout [(image: ID<PostImage>, folder: String)]
  ) throws -> [(Draft, String)] {
    let folder = PictureFolders.post(post, of: couple)
    let drafts = PictureFolders.drafts(of: viewer.id)
    return try pictures.map { draft, description in
      let id = try services.folders.link(draft.id, from: drafts, to: folder)
      linked.append((id, folder))
      return (Draft(id: id, picture: draft.picture, bytes: draft.bytes), description)
    }
  }

  /// Removes the files of drafts that are no longer needed, deselected ones included.
  private func forget(_ drafts: [ID<PostImage>], _ viewer: Viewer) {
    for draft in drafts {
      services.folders.remove(draft, in: PictureFolders.drafts(of: viewer.id))
    }
  }
}
