import Core
import Database

/// Sessions, app sign-ins and sign-ins that wait for a code, by the provider that began them.
struct ProviderSessionStore {
  /// Ends those of a linked account (`identity`) or of a session at the provider, or of both:
  /// then also those whose session there is not known. Returns their members.
  func end(
    identity: ID<ProviderIdentity>?, session: [UInt8]?, begunBefore end: Instant,
    butNot own: [UInt8]? = nil, in writer: WriteTransaction
  ) throws -> Set<ID<Person>> {
    let condition: Query
    switch (identity, session) {
    case (let identity?, let session?):
      condition = """
        identity_id = \(identity)
          AND (provider_session_hash IS NULL OR provider_session_hash = \(session))
        """
    case (let identity?, nil): condition = "identity_id = \(identity)"
    case (nil, let session?): condition = "provider_session_hash = \(session)"
    case (nil, nil): return []
    }
    let waitingEnd = end.adding(seconds: PendingSignInStore.tokens.lifetime)
    var ended: Set<ID<Person>> = []
    for statement: Query in [
      """
      DELETE FROM sessions WHERE \(condition) AND created_at < \(end)
        AND token_hash IS DISTINCT FROM \(own)
      RETURNING user_id
      """,
      "DELETE FROM refresh_families WHERE \(condition) AND created_at < \(end) RETURNING user_id",
      """
      DELETE FROM waiting_sign_ins WHERE \(condition) AND expires_at < \(waitingEnd)
      RETURNING user_id
      """,
    ] {
      ended.formUnion(try writer.rows(statement) { try $0.next() })
    }
    return ended
  }
}
