import Database

extension CheckInSchema {
  static let removedContacts = Migration(
    "checkin: removed contacts",
    """
    -- A contact with removed_at can be restored for 30 days.
    CREATE INDEX emergency_contacts_removed ON emergency_contacts (removed_at)
      WHERE removed_at IS NOT NULL;
    """)

  static let removedChannels = Migration(
    "checkin: messages by removed channels",
    """
    -- The name of the offer of a channel that was removed since; NULL for mail, and for other channels.
    ALTER TABLE contact_mails ADD COLUMN offer TEXT;
    """)

  static let keptChannels = Migration(
    "checkin: channels that wait for an all-clear",
    """
    -- When a channel was removed by which an open alert had gone; NULL for channels in use.
    ALTER TABLE contact_channels ADD COLUMN removed_at INTEGER;
    CREATE INDEX contact_channels_removed ON contact_channels (removed_at)
      WHERE removed_at IS NOT NULL;
    """)
}
