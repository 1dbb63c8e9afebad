import Database

/// The columns for captions of training videos.
enum TrainingCaptionsSchema {
  static let migrations = [
    Migration(
      "trainings 2: captions of videos",
      """
      ALTER TABLE trainings ADD COLUMN captions_id BLOB;
      ALTER TABLE trainings ADD COLUMN captions_language TEXT
        CHECK (captions_language IN ('en', 'zh-Hant', 'zh-Hans'));
      """)
  ]
}
