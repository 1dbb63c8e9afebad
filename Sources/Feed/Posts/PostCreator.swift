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
    let folder = PictureFolders.drafts(of: viewer.id)
    let made = try services.folders.pictures.process(
      file: path, kind: kind, into: folder, services.imageProcessor)
    guard let id = ID<PostImage>(made.id) else { throw .failed("no identifier: \(made.id)") }
    let picture = Picture(
      id: id, fileExtension: made.fileExtension, width: made.width, height: made.height,
      hasWebP: made.hasWebP, description: "")
    let draft = Draft(id: id, picture: picture, bytes: made.bytes)
    do {
      try services.drafts.add(draft, of: viewer, now: now)
    } catch {
      if !StorageError.mayBeStored(after: error) { services.folders.remove([id], in: folder) }
      if case StorageError.full = error { throw .diskFull }
      throw .failed("\(error)")
    }
    return draft
  }

  /// Moves the pictures to their post and writes all rows in one transaction; returns the post's
  /// path. New file names are linked before it and old ones removed after it, so a crash in between
  /// loses nothing. The same nonce and hash return the first answer again.
  /// Throws 429 above the rate limit, unless the post isn't counted, and a `PictureError`.
  func make(
    _ sent: NewPostForm, hash: [UInt8], by viewer: Viewer, isCounted: Bool = true, now: Instant
  ) throws -> String {
    let post = NewPost(id: ID(now: now), content: sent.content, visibility: sent.visibility)
    let location = FeedLinks.post(post.id)
    var linked: LinkedPictures?
    do {
      if !sent.pictures.isEmpty { try link(sent.pictures, to: post.id, viewer, now: now, &linked) }
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
        // Someone may have joined or left a couple meanwhile.
        guard linked?.couple ?? couple == couple else { throw PictureError.busy }
        try PostWriter().add(
          post, couple: couple, by: viewer, images: linked?.images ?? [], now: now, in: writer)
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
      if answer == location {
        forget(sent.allDrafts, viewer)
      } else {
        remove(linked, of: post.id)
      }
      return answer
    } catch {
      if !StorageError.mayBeStored(after: error) { remove(linked, of: post.id) }
      // The same form may have been sent meanwhile, and have taken the drafts.
      if error is PictureError, !sent.nonce.isEmpty,
        let before = try services.site.database.write({
          try services.answers.location(of: sent.nonce, hash: hash, from: viewer, in: $0)
        })
      {
        return before
      }
      throw error
    }
  }

  /// Pictures that have their names in a post that is not yet written.
  private struct LinkedPictures {
    let couple: ID<Couple>
    var images: [(Draft, String)] = []
  }

  /// Not in the transaction that writes the post: a store may be slow.
  private func link(
    _ pictures: [(draft: Draft, description: String)], to post: ID<Post>, _ viewer: Viewer,
    now: Instant, _ linked: inout LinkedPictures?
  ) throws {
    // A preparation: if it fails after this, an API call with a key has changed nothing.
    let couple = try services.site.database.writeWithoutHooks {
      try services.couples.coupleForPosting(viewer, now: now, in: $0)
    }
    linked = LinkedPictures(couple: couple)
    let folder = PictureFolders.post(post, of: couple)
    let drafts = PictureFolders.drafts(of: viewer.id)
    for (draft, description) in pictures {
      let id = try services.folders.link(draft.id, from: drafts, to: folder)
      linked?.images.append(
        (Draft(id: id, picture: draft.picture, bytes: draft.bytes), description))
    }
  }

  private func remove(_ linked: LinkedPictures?, of post: ID<Post>) {
    guard let linked else { return }
    services.folders.remove(
      linked.images.map { $0.0.id }, in: PictureFolders.post(post, of: linked.couple))
  }

  /// Removes the files of drafts that are no longer needed, deselected ones included.
  private func forget(_ drafts: [ID<PostImage>], _ viewer: Viewer) {
    services.folders.remove(drafts, in: PictureFolders.drafts(of: viewer.id))
  }
}
