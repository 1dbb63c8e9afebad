/// The columns of moderation and of tools outside the feature modules.
extension CanaryColumns {
  static let staff: [String: [String: Content]] = [
    "report_cases": [
      "id": .none(.identifier), "kind": .none(.word), "part": .none(.word),
      "is_message": .none(.flag), "is_moment": .none(.flag),
      "thing_id": .none(.identifier),
      "couple_id": .none(.identifier), "author_id": .none(.identifier), "state": .none(.word),
      "thing_state": .none(.word), "version": .none(.count), "round": .none(.count),
      "reporters": .none(.count), "waiting_since": .none(.time), "rank": .none(.count),
      "decision": .none(.word), "decision_note": .marks([.decision, .verdict, .suspended]),
      "decided_by": .marks([.staff]), "decided_at": .none(.time), "suspended_days": .none(.count),
      "told": .none(.flag),
    ],
    "reports": [
      "id": .none(.identifier), "case_id": .none(.identifier), "round": .none(.count),
      "user_id": .none(.identifier), "reporter_key": .none(.identifier), "counts": .none(.flag),
      "reason": .none(.word), "note": .marks([.report]), "state": .none(.word),
      "created_at": .none(.time), "decided_at": .none(.time),
    ],
    "decisions": [
      "id": .none(.identifier), "case_id": .none(.identifier), "couple_id": .none(.identifier),
      "decision": .none(.word), "suspended_days": .none(.count),
      "note": .marks([.decision, .verdict, .suspended]),
      "decided_by": .marks([.staff]), "decided_at": .none(.time),
      "moderator_id": .none(.identifier), "state_before": .none(.word),
      "thing_state_before": .none(.word),
    ],
    "appeals": [
      "case_id": .none(.identifier), "user_id": .none(.identifier), "words": .marks([.appeal]),
      "created_at": .none(.time), "decided_at": .none(.time), "granted": .none(.flag),
    ],
    "moderation_notices": [
      "id": .none(.identifier), "user_id": .none(.identifier), "case_id": .none(.identifier),
      "kind": .none(.word), "created_at": .none(.time),
    ],
    "staff_log": [
      "number": .none(.count), "at": .none(.time), "actor": .none(.identifier),
      "actor_name": .marks([.staff]), "action": .none(.word), "kind": .none(.word),
      "subject": .none(.identifier), "couple": .none(.identifier),
      "details": .marks([.training, .unpublished]),
      "note": .marks([.decision, .verdict, .suspended]),
    ],
    "moderator_mail": ["id": .none(.count), "sent_at": .none(.time)],
    "case_reasons": [
      "reason": .none(.word), "state": .none(.word), "rank": .none(.count),
      "case_id": .none(.identifier),
    ],
  ]

  static let tools: [String: [String: Content]] = [
    "mail_queue": [
      "id": .none(.identifier), "recipient_sealed": .sealed,
      "content_sealed": .sealed, "created_at": .none(.time), "attempts": .none(.count),
      "sent_at": .none(.time), "failed_at": .none(.time), "last_error": .none(.ours),
      "recipient_hash": .none(.hash), "never_given_up": .none(.flag), "taken_at": .none(.time),
      "refused_us_at": .none(.time), "bounced_at": .none(.time),
    ],
    "mail_results": ["result": .none(.word), "count": .none(.count)],
    "jobs": [
      "id": .none(.identifier), "kind": .none(.word), "payload": .none(.identifier),
      "unique_key": .none(.identifier), "run_at": .none(.time), "lease": .none(.random),
      "attempts": .none(.count), "created_at": .none(.time), "last_error": .none(.ours),
    ],
    "heartbeats": ["name": .none(.word), "at": .none(.time)],
    "live_news": [
      "channel": .none(.identifier), "mark": .none(.random), "version": .none(.count),
      "cuts": .none(.count), "due": .none(.time),
    ],
    "rate_limits": [
      "rule": .none(.word), "subject": .none(.hash), "window_start": .none(.time),
      "ends_at": .none(.time), "count": .none(.count),
    ],
    "answers": [
      "person_id": .none(.identifier), "nonce": .none(.random), "content_hash": .none(.hash),
      "location": .none(.path), "created_at": .none(.time),
    ],
    "idempotency_keys": [
      "person_id": .none(.identifier), "key_hash": .none(.hash), "request_hash": .none(.hash),
      "holder": .none(.random), "state": .none(.word), "lease_until": .none(.time),
      "status": .none(.word), "content_type": .none(.word), "body_sealed": .sealed,
      "created_at": .none(.time),
    ],
    "totals": ["name": .none(.word), "count": .none(.count)],
    "key_state": ["id": .none(.count), "encryption": .none(.count), "lookup": .none(.count)],
    "grdb_migrations": ["identifier": .none(.ours)],
    "post_words": ["words": .none(.index)],
    "couple_words": ["words": .none(.index)],
  ]
}
