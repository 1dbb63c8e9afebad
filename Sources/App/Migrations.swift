import Accounts
import Album
import CheckIn
import Database
import Feed
import Groups
import Jobs
import Live
import Mail
import Messages
import Moderation
import Moments
import Notices
import Trainings
import Wallet
import Web
import Workouts

/// The migrations in the order in which they build on each other. New ones are appended; released
/// ones never move.
public enum Migrations {
  public static let all =
    JobSchema.migrations + MailSchema.migrations + WebSchema.migrations
    + AccountsModule.migrations + FeedModule.migrations + KeyRotation.migrations
    + CheckInModule.migrations + AlbumModule.migrations + WorkoutsModule.migrations
    + TrainingsModule.migrations + WorkoutsModule.laterMigrations
    + GroupsModule.migrations + LiveSchema.migrations
    + ModerationModule.migrations + NoticesModule.migrations
    + WalletModule.migrations + MessagesModule.migrations + MomentsModule.migrations
}
