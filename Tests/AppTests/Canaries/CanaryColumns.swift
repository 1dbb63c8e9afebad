/// Content of each column of the schema: the kinds of its marks, or why it has none. A new column
/// without an entry fails the tests.
enum CanaryColumns {
  enum Content {
    /// At least one row of the test data has a mark of each of these kinds.
    case marks([CanaryKind])
    /// At least one row has a sealed value, in which no mark can be read.
    case sealed
    case none(Reason)
  }

  /// Why a column cannot hold user input.
  enum Reason: String {
    case identifier = "names a row of this or another table"
    case time = "a moment or a day"
    case count = "a number of things, a size or an order"
    case flag = "yes or no"
    case word = "one of a few words that the code knows"
    case hash = "a hash, which nobody reads back"
    case random = "random, and means nothing to people"
    case path = "where a file or a page is, made of identifiers"
    case zone = "the name of a time zone, which every page of settings lists"
    case figures = "sums of what the marked columns hold"
    case index = "pairs of letters of posts and of couples' names"
    case ours = "words of our own code or of a mail server, in English"
    case secret = "sealed, and random before"
  }

  static let tables: [String: [String: Content]] = accounts.merging(modules) { $1 }
    .merging(staff) { $1 }.merging(tools) { $1 }

  // MARK: Accounts

  private static let accounts: [String: [String: Content]] = [
    "couples": [
      "id": .none(.identifier), "name": .marks([.couple, .partedname]),
      "anniversary": .none(.time), "bio": .marks([.bio]), "avatar": .none(.path),
      "status": .none(.word), "created_at": .none(.time), "frozen_at": .none(.time),
      "hidden_at": .none(.time), "removed_at": .none(.time), "version": .none(.count),
    ],
    "users": [
      "id": .none(.identifier), "role": .none(.word),
      "display_name": .marks([.name, .guest, .staff]), "email_sealed": .sealed,
      "email_hash": .none(.hash), "password_hash": .none(.hash), "couple_id": .none(.identifier),
      "couple_side": .none(.word), "avatar": .none(.path), "language": .none(.word),
      "theme": .none(.word), "units": .none(.word), "time_zone": .none(.zone),
      "terms_version": .none(.word),
      "terms_accepted_at": .none(.time), "created_at": .none(.time), "deleted_at": .none(.time),
      "suspended_until": .none(.time), "suspended_why": .marks([.suspended]),
      "time_zone_chosen": .none(.flag), "time_zone_declined": .none(.zone),
    ],
    "couple_members": [
      "couple_id": .none(.identifier), "user_id": .none(.identifier), "joined_at": .none(.time),
      "left_at": .none(.time),
    ],
    "sessions": [
      "token_hash": .none(.hash), "user_id": .none(.identifier), "created_at": .none(.time),
      "seen_at": .none(.time), "expires_at": .none(.time), "browser": .marks([.browser]),
      "ends_at": .none(.time), "passkey_id": .none(.identifier), "identity_id": .none(.identifier),
      "provider_session_hash": .none(.hash),
    ],
    "registrations": [
      "id": .none(.identifier), "kind": .none(.word), "couple_name": .marks([.registering]),
      "anniversary": .none(.time), "display_name": .marks([.registering]),
      "password_hash": .none(.hash), "language": .none(.word), "terms_version": .none(.word),
      "browser_hash": .none(.hash), "couple_id": .none(.identifier), "created_at": .none(.time),
      "guest_id": .none(.identifier),
    ],
    "registration_sides": [
      "registration_id": .none(.identifier), "side": .none(.word),
      "email_sealed": .sealed, "email_hash": .none(.hash), "sent_at": .none(.time),
      "user_id": .none(.identifier), "completed_at": .none(.time),
    ],
    "verification_tokens": [
      "token_hash": .none(.hash), "purpose": .none(.word), "registration_id": .none(.identifier),
      "side": .none(.word), "user_id": .none(.identifier), "created_at": .none(.time),
      "expires_at": .none(.time), "used_at": .none(.time),
    ],
    "deletions": [
      "user_id": .none(.identifier), "couple_id": .none(.identifier), "couple_side": .none(.word),
      "anniversary": .none(.time),
    ],
    "file_removals": ["path": .none(.path)],
    "exports": [
      "id": .none(.identifier), "user_id": .none(.identifier), "state": .none(.word),
      "progress": .none(.count), "bytes": .none(.count), "requested_at": .none(.time),
      "expires_at": .none(.time),
    ],
    "email_undos": [
      "token_hash": .none(.hash), "user_id": .none(.identifier),
      "email_sealed": .sealed, "expires_at": .none(.time),
      "password_hash": .none(.hash),
    ],
    "guest_codes": [
      "user_id": .none(.identifier), "code_hash": .none(.hash), "made_at": .none(.time),
    ],
    "guest_recovery_codes": [
      "user_id": .none(.identifier), "selector": .none(.hash), "code_hash": .none(.hash),
      "made_at": .none(.time),
    ],
    "blocks": [
      "couple_id": .none(.identifier), "blocked_id": .none(.identifier),
      "created_at": .none(.time),
    ],
    "email_changes": [
      "user_id": .none(.identifier), "token_hash": .none(.hash),
      "email_sealed": .sealed, "created_at": .none(.time), "expires_at": .none(.time),
    ],
    "refresh_families": [
      "id": .none(.identifier), "user_id": .none(.identifier), "device_id": .none(.random),
      "binds": .none(.flag), "app": .marks([.app]), "created_at": .none(.time),
      "seen_at": .none(.time), "expires_at": .none(.time),
      "identity_id": .none(.identifier), "provider_session_hash": .none(.hash),
    ],
    "refresh_tokens": [
      "token_hash": .none(.hash), "family_id": .none(.identifier), "expires_at": .none(.time),
      "used_at": .none(.time), "successor_sealed": .none(.secret),
    ],
    "device_bindings": [
      "user_id": .none(.identifier), "device_id": .none(.random), "name": .marks([.device]),
      "bound_at": .none(.time), "unbind_hash": .none(.hash),
    ],
    "known_devices": [
      "user_id": .none(.identifier), "mark": .none(.hash), "seen_at": .none(.time),
    ],
    "mailed_codes": [
      "user_id": .none(.identifier), "code_hash": .none(.hash), "expires_at": .none(.time),
      "tries": .none(.count),
    ],
    "completion_tokens": [
      "token_hash": .none(.hash), "registration_id": .none(.identifier), "side": .none(.word),
      "expires_at": .none(.time),
    ],
    "pair_invitations": [
      "id": .none(.identifier), "inviter_id": .none(.identifier),
      "email_sealed": .sealed, "email_hash": .none(.hash), "token_hash": .none(.hash),
      "sent_at": .none(.time), "expires_at": .none(.time),
    ],
    "partings": [
      "couple_id": .none(.identifier), "parted_at": .none(.time), "ends_at": .none(.time),
      "undo_asked_by": .none(.identifier),
    ],
    "provider_identities": [
      "id": .none(.identifier), "user_id": .none(.identifier), "issuer": .none(.path),
      "identity_sealed": .sealed, "identity_hash": .none(.hash), "created_at": .none(.time),
      "used_at": .none(.time), "mail_stopped_at": .none(.time),
    ],
    "passkeys": [
      "id": .none(.identifier), "user_id": .none(.identifier), "user_handle": .none(.random),
      "credential_id": .none(.random), "public_key": .none(.random), "sign_count": .none(.count),
      "is_backup_eligible": .none(.flag), "is_backed_up": .none(.flag), "transports": .none(.word),
      "name": .marks([.passkey]), "created_at": .none(.time), "used_at": .none(.time),
    ],
    "passkey_challenges": ["challenge_hash": .none(.hash), "expires_at": .none(.time)],
    "totp_secrets": [
      "user_id": .none(.identifier), "secret_sealed": .none(.secret), "created_at": .none(.time),
      "confirmed_at": .none(.time), "last_step": .none(.count),
    ],
    "recovery_codes": [
      "user_id": .none(.identifier), "code_hash": .none(.hash), "used_at": .none(.time),
    ],
    "waiting_sign_ins": [
      "token_hash": .none(.hash), "user_id": .none(.identifier), "next": .none(.path),
      "expires_at": .none(.time), "identity_id": .none(.identifier),
      "provider_session_hash": .none(.hash),
    ],
    "staff_enrolments": [
      "token_hash": .none(.hash), "user_id": .none(.identifier), "expires_at": .none(.time),
    ],
  ]
}
