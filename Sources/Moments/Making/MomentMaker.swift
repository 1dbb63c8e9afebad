import Accounts
import Core
import Database
import Films
import Images
import Web

/// Makes moments: checks, then the files, then the row, and the whole once.
struct MomentMaker {
  let services: MomentsEnvironment

  private var database: Database { services.site.database }

  /// Makes a moment, or returns that of the same form sent before. Throws 403 if the viewer may not
  /// post, 422 with errors of `words` and `file` (413, 415, 503 or 507 if the file is the reason),
  /// 429 above a limit. `note` gets the reasons of internal errors.
  func make(
    _ form: MomentForm, by viewer: Viewer, now: Instant, note: (String) -> Void
  ) throws -> ID<Moment> {
    guard viewer.mayPost else { throw Problem.forbidden }
    let hash = try form.nonce.isEmpty ? [] : form.hash()
    // Not without a nonce: a call with its own key must not look as if it had changed something.
    if !form.nonce.isEmpty,
      let before = try database.write({ try made(before: hash, form, viewer, in: $0) })
    {
      return before
    }
    var errors: [String: FieldError] = [:]
    errors["words"] = MomentRules.error(words: form.words)
    guard let file = form.file else {
      errors["file"] = FieldError("moments.file_missing")
      throw Problem.invalid(errors)
    }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    guard !file.tooLarge else {
      throw Problem(.payloadTooLarge, fields: ["file": FieldError("moments.file_large")])
    }
    try services.limits.count(MomentRules.submissions, viewer.id.description, now: now)
    return try make(form, of: file.path, hash: hash, by: viewer, now: now, note: note)
  }

  /// Makes a moment of a file without a form, for demonstration data.
  func make(
    _ form: MomentForm, of path: String, by viewer: Viewer, now: Instant
  ) throws -> ID<Moment> {
    try make(form, of: path, hash: [], by: viewer, now: now) { _ in }
  }

  private func make(
    _ form: MomentForm, of path: String, hash: [UInt8], by viewer: Viewer, now: Instant,
    note: (String) -> Void
  ) throws -> ID<Moment> {
    let new = NewMoment(id: ID(now: now), audience: form.audience, words: form.words)
    let made: MadeMomentFile
    do throws(MomentFileError) {
      made = try MomentFileMaker(services: services).make(path, of: new.id)
    } catch {
      remove(new.id)
      if let reason = error.reason { note("moment: \(reason)") }
      throw error.problem
    }
    do {
      let kept = try database.write { writer -> ID<Moment> in
        // The same form may have been sent twice at once.
        if let before = try self.made(before: hash, form, viewer, in: writer) { return before }
        // Moderators may have suspended the viewer while the file was converted.
        guard try !services.moments.isSuspended(viewer, now: now, in: writer) else {
          throw Problem.forbidden
        }
        let couple = try services.couples.coupleForPosting(viewer, now: now, in: writer)
        if let wait = try services.limits.add(
          MomentRules.perDay, couple.description, now: now, in: writer)
        {
          throw Problem.tooMany(retryAfter: wait)
        }
        try services.moments.add(new, made, of: couple, by: viewer, now: now, in: writer)
        if !form.nonce.isEmpty {
          try services.replays.remember(
            new.id.description, of: form.nonce, hash: hash, from: viewer, now: now, in: writer)
        }
        return new.id
      }
      if kept != new.id { remove(new.id) }
      return kept
    } catch {
      if !StorageError.mayBeStored(after: error) { remove(new.id) }
      throw error
    }
  }

  /// Removes files without a row. Those that can't be removed are left to the cleanup job.
  private func remove(_ moment: ID<Moment>) {
    try? services.files.remove(moment)
  }

  private func made(
    before hash: [UInt8], _ form: MomentForm, _ viewer: Viewer, in writer: WriteTransaction
  ) throws -> ID<Moment>? {
    guard !form.nonce.isEmpty else { return nil }
    return try services.replays.location(of: form.nonce, hash: hash, from: viewer, in: writer)
      .flatMap { ID<Moment>($0) }
  }
}
