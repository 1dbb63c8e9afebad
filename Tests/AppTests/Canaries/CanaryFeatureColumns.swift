/// The columns of feed, album, check-in, workouts, groups, notices and wallet.
extension CanaryColumns {
  static let modules: [String: [String: Content]] = [
    "posts": [
      "id": .none(.identifier), "couple_id": .none(.identifier), "author_id": .none(.identifier),
      "content": .marks([.open, .narrow, .two, .hidden, .parted, .deleted]),
      "visibility": .none(.word), "like_count": .none(.count), "image_count": .none(.count),
      "version": .none(.count),
      "created_at": .none(.time), "edited_at": .none(.time), "hidden_at": .none(.time),
      "deleted_at": .none(.time), "reported_at": .none(.time), "removed_at": .none(.time),
    ],
    "post_images": [
      "id": .none(.identifier), "post_id": .none(.identifier), "position": .none(.count),
      "extension": .none(.word), "width": .none(.count), "height": .none(.count),
      "has_webp": .none(.flag), "bytes": .none(.count), "description": .marks([.described, .two]),
    ],
    "draft_images": [
      "id": .none(.identifier), "user_id": .none(.identifier), "extension": .none(.word),
      "width": .none(.count), "height": .none(.count), "has_webp": .none(.flag),
      "bytes": .none(.count), "created_at": .none(.time),
    ],
    "likes": [
      "post_id": .none(.identifier), "user_id": .none(.identifier), "created_at": .none(.time),
    ],
    "follows": [
      "follower_id": .none(.identifier), "followed_id": .none(.identifier),
      "created_at": .none(.time),
    ],
    "search_posts": ["place": .none(.count), "post_id": .none(.identifier)],
    "search_couples": ["place": .none(.count), "couple_id": .none(.identifier)],
    "search_gone": ["kind": .none(.word), "place": .none(.count)],
    "search_waiting": ["couple_id": .none(.identifier)],
    "search_progress": ["only": .none(.count), "post_id": .none(.identifier)],
    "photos": [
      "id": .none(.identifier), "user_id": .none(.identifier), "couple_id": .none(.identifier),
      "folder": .none(.identifier), "original_id": .none(.random), "format": .none(.word),
      "width": .none(.count), "height": .none(.count), "bytes": .none(.count),
      "picture_id": .none(.random), "picture_extension": .none(.word), "has_webp": .none(.flag),
      "story": .marks([.story, .shared]), "caption": .marks([.story]),
      "other_story": .marks([.story]), "taken_at": .none(.time), "taken_offset": .none(.time),
      "dropped": .none(.word), "version": .none(.count), "created_at": .none(.time),
    ],
    "check_ins": [
      "user_id": .none(.identifier), "day": .none(.time), "tapped_at": .none(.time),
      "time_zone": .none(.zone), "is_offline": .none(.flag),
    ],
    "checkin_settings": [
      "user_id": .none(.identifier), "threshold_days": .none(.count), "alert_minute": .none(.time),
      "reminder_minute": .none(.time), "contact_language": .none(.word),
      "note_sealed": .sealed, "paused_until": .none(.time), "last_day": .none(.time),
      "last_tap": .none(.time), "counts_from": .none(.time), "reminded_day": .none(.time),
      "evening_for": .none(.time), "hour_for": .none(.time), "grace_for": .none(.time),
      "next_at": .none(.time), "ahead_from": .none(.time), "contact_pause": .none(.time),
    ],
    "checkin_pauses": [
      "user_id": .none(.identifier), "first_day": .none(.time), "last_day": .none(.time),
    ],
    "checkin_record": [
      "user_id": .none(.identifier), "number": .none(.count), "at": .none(.time),
      "event": .none(.word), "day": .none(.time), "contact_id": .none(.identifier),
      "detail": .none(.word), "hash": .none(.hash),
    ],
    "emergency_contacts": [
      "id": .none(.identifier), "user_id": .none(.identifier), "position": .none(.count),
      "name": .marks([.contact]), "email_sealed": .sealed, "email_hash": .none(.hash),
      "state": .none(.word), "added_at": .none(.time), "removed_at": .none(.time),
      "weekly_at": .none(.time), "account_id": .none(.identifier), "asked_since": .none(.time),
    ],
    "contact_refusals": ["email_hash": .none(.hash), "refused_at": .none(.time)],
    "alerts": [
      "id": .none(.identifier), "user_id": .none(.identifier), "silence": .none(.time),
      "day": .none(.time), "missed_days": .none(.count), "claimed_at": .none(.time),
      "reached_at": .none(.time), "reached_by": .none(.identifier), "ended_at": .none(.time),
      "round": .none(.count), "first_round": .none(.count), "round_at": .none(.time),
      "looking_until": .none(.time), "next_at": .none(.time),
    ],
    "alert_responses": [
      "alert_id": .none(.identifier), "contact_id": .none(.identifier),
      "opened_at": .none(.time), "looking_at": .none(.time),
    ],
    "contact_channels": [
      "id": .none(.identifier), "contact_id": .none(.identifier), "user_id": .none(.identifier),
      "offer": .none(.word), "recipient_sealed": .sealed, "code_hash": .none(.hash),
      "code_sent_at": .none(.time), "code_tries": .none(.count), "proven_at": .none(.time),
      "failed_at": .none(.time),
    ],
    "contact_mails": [
      "mail_id": .none(.identifier), "user_id": .none(.identifier),
      "contact_id": .none(.identifier), "alert_id": .none(.identifier), "kind": .none(.word),
      "state": .none(.word), "queued_at": .none(.time), "changed_at": .none(.time),
      "attempts": .none(.count), "error": .none(.ours), "round": .none(.count),
      "channel_id": .none(.identifier), "send_at": .none(.time),
    ],
    "notification_logs": [
      "id": .none(.identifier), "user_id": .none(.identifier), "mail_id": .none(.identifier),
      "notification_day": .none(.time), "missed_days": .none(.count), "is_sent": .none(.flag),
      "error": .none(.ours), "attempted_at": .none(.time),
    ],
    "outages": [
      "began_at": .none(.time), "ended_at": .none(.time), "grace_until": .none(.time),
      "cause": .none(.word),
    ],
    "workouts": [
      "id": .none(.identifier), "user_id": .none(.identifier),
      "client_session_id": .none(.random), "started_at": .none(.time), "ended_at": .none(.time),
      "day": .none(.time), "duration_ms": .none(.count), "paused_ms": .none(.count),
      "energy_cal": .none(.count), "distance_mm": .none(.count), "device_type": .none(.word),
      "training_id": .none(.identifier), "avg_hr": .marks([.workout]),
      "max_hr": .marks([.workout]), "avg_power": .marks([.workout]),
      "max_power": .marks([.workout]), "avg_cadence": .marks([.workout]),
      "max_cadence": .marks([.workout]), "avg_speed": .marks([.workout]),
      "max_speed": .marks([.workout]), "source": .none(.word), "claim_round": .none(.count),
      "received_at": .none(.time),
    ],
    "workout_samples": [
      "workout_id": .none(.identifier), "samples": .none(.figures), "raw": .marks([.workout]),
    ],
    "user_stats": [
      "user_id": .none(.identifier), "time_zone": .none(.zone), "count": .none(.figures),
      "energy_cal": .none(.figures), "distance_mm": .none(.figures),
      "duration_ms": .none(.figures), "last_day": .none(.time), "run_days": .none(.figures),
      "claim_round": .none(.count), "claimed_at": .none(.time), "claim_count": .none(.figures),
      "claim_energy_cal": .none(.figures), "claim_distance_mm": .none(.figures),
      "claim_duration_ms": .none(.figures), "claim_streak": .none(.figures),
      "claim_last_day": .none(.time), "later_count": .none(.figures),
      "later_energy_cal": .none(.figures), "later_distance_mm": .none(.figures),
      "later_duration_ms": .none(.figures),
    ],
    "trainings": [
      "id": .none(.identifier), "position": .none(.count),
      "name": .marks([.training, .unpublished]), "description": .marks([.training, .unpublished]),
      "difficulty": .none(.word), "cover_id": .none(.random), "cover_extension": .none(.word),
      "cover_width": .none(.count), "cover_height": .none(.count),
      "cover_has_webp": .none(.flag), "video_id": .none(.random), "video_bytes": .none(.count),
      "video_seconds": .none(.count), "published_at": .none(.time), "created_at": .none(.time),
      "updated_at": .none(.time), "captions_id": .none(.random),
      "captions_language": .none(.word),
    ],
    "training_stages": [
      "training_id": .none(.identifier), "position": .none(.count), "seconds": .none(.count),
      "target": .none(.word), "value": .none(.count), "text": .marks([.training, .unpublished]),
    ],
    "data_epoch": ["id": .none(.count), "epoch": .none(.random)],
    "groups": [
      "id": .none(.identifier), "name": .marks([.group]), "leader_id": .none(.identifier),
      "version": .none(.count), "may_join": .none(.flag), "members_invite": .none(.flag),
      "active_waypoint_id": .none(.identifier), "created_at": .none(.time),
      "closed_at": .none(.time),
    ],
    "group_members": [
      "group_id": .none(.identifier), "user_id": .none(.identifier), "id": .none(.identifier),
      "joined_at": .none(.time), "sharing_until": .none(.time),
    ],
    "group_removals": [
      "group_id": .none(.identifier), "user_id": .none(.identifier), "removed_at": .none(.time),
    ],
    "group_returns": [
      "user_id": .none(.identifier), "group_id": .none(.identifier), "left_at": .none(.time),
    ],
    "invite_codes": [
      "group_id": .none(.identifier), "code": .none(.random), "link_code": .none(.random),
      "made_at": .none(.time), "expires_at": .none(.time),
    ],
    "member_locations": [
      "group_id": .none(.identifier), "user_id": .none(.identifier), "latitude": .marks([.place]),
      "longitude": .marks([.place]), "accuracy": .none(.count), "at": .none(.time),
      "received_at": .none(.time),
    ],
    "waypoints": [
      "id": .none(.identifier), "group_id": .none(.identifier), "name": .marks([.group]),
      "latitude": .marks([.group]), "longitude": .marks([.group]), "created_at": .none(.time),
    ],
    "group_events": [
      "group_id": .none(.identifier), "version": .none(.count), "kind": .none(.word),
      "user_id": .none(.identifier), "note": .marks([.group]), "created_at": .none(.time),
    ],
    "notifications": [
      "id": .none(.identifier), "user_id": .none(.identifier), "kind": .none(.word),
      "subject": .none(.identifier), "event": .none(.word),
      "detail": .marks([.open, .narrow, .two, .group]), "path": .none(.path),
      "created_at": .none(.time), "read_at": .none(.time), "note": .marks([.group]),
    ],
    "notification_actors": [
      "notification_id": .none(.identifier), "user_id": .none(.identifier),
      "couple_id": .none(.identifier), "at": .none(.time),
    ],
    "notice_settings": [
      "user_id": .none(.identifier), "kind": .none(.word), "on_page": .none(.flag),
      "by_push": .none(.flag),
    ],
    "push_subscriptions": [
      "id": .none(.identifier), "user_id": .none(.identifier), "session_hash": .none(.hash),
      "family_id": .none(.identifier), "endpoint": .marks([.endpoint]), "host": .none(.word),
      "point": .none(.random), "secret": .none(.random), "created_at": .none(.time),
    ],
    "push_outbox": [
      "id": .none(.identifier), "subscription_id": .none(.identifier), "kind": .none(.word),
      "subject": .none(.identifier), "path": .none(.path), "topic": .none(.path),
      "is_urgent": .none(.flag), "run_at": .none(.time), "attempts": .none(.count),
      "ends_at": .none(.time),
    ],
    "push_memory": [
      "user_id": .none(.identifier), "kind": .none(.word), "subject": .none(.identifier),
      "actor_id": .none(.identifier), "event": .none(.word), "at": .none(.time),
    ],
    "anniversaries_told": ["user_id": .none(.identifier), "day": .none(.time)],
    "calendar_links": [
      "user_id": .none(.identifier), "couple_id": .none(.identifier), "token_hash": .none(.hash),
      "made_at": .none(.time),
    ],
    "user_wallets": [
      "user_id": .none(.identifier), "balance": .marks([.coins]), "owed": .none(.count),
    ],
    "coin_transactions": [
      "id": .none(.identifier), "user_id": .none(.identifier), "number": .none(.count),
      "type": .none(.word), "amount": .none(.count), "balance_after": .marks([.coins]),
      "post_id": .none(.identifier), "days": .none(.count), "created_at": .none(.time),
      "source": .none(.hash),
    ],
    "apple_transactions": [
      "hash": .none(.hash), "user_id": .none(.identifier), "coins": .none(.count),
      "created_at": .none(.time), "refunded_at": .none(.time), "state_signed_at": .none(.time),
    ],
    "apple_notifications": ["hash": .none(.hash), "heard_at": .none(.time)],
    "vouchers": [
      "id": .none(.identifier), "coins": .none(.count), "count": .none(.count),
      "expires_at": .none(.time), "created_at": .none(.time),
    ],
    "voucher_codes": [
      "code_hash": .none(.hash), "voucher_id": .none(.identifier), "used_at": .none(.time),
      "used_by": .none(.identifier),
    ],
    "promotions": ["post_id": .none(.identifier), "promoted_until": .none(.time)],
  ]
}
