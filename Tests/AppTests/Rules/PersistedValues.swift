import Core
import Images
import Mail
import Moments
import PhotoMetadata

@testable import Accounts
@testable import Album
@testable import CheckIn
@testable import Feed
@testable import Groups
@testable import Moderation
@testable import Notices
@testable import Trainings
@testable import Wallet
@testable import Web
@testable import WorkoutFiles
@testable import Workouts

/// Values of enumerations in the database, in answers, forms, files or URLs, each set under a name
/// independent of the type's.
enum PersistedValues {
  private static func of<T: CaseIterable & RawRepresentable>(_ type: T.Type) -> [String] {
    type.allCases.map { "\($0.rawValue)" }
  }

  private static func of<T: RawRepresentable>(_ values: T...) -> [String] {
    values.map { "\($0.rawValue)" }
  }

  static let all: [(String, [String])] =
    accounts + feedAndAlbum + checkIn + workouts + groups + moderation + others

  private static let accounts: [(String, [String])] = [
    ("users.role", of(Role.anyone, .guest, .member, .moderator, .admin)),
    ("users.theme", of(Theme.self)),
    ("users.language", of(Language.self)),
    ("couples.status", of(CoupleStatus.self)),
    ("profile side", of(UserProfile.Side.self)),
    ("profile kind", of(UserProfile.Kind.self)),
    ("profile staff role", of(UserProfile.StaffRole.self)),
    ("verified registration status", of(VerifyAPI.Completed.Status.self)),
    ("begun registration status", of(RegisterAPI.Initiated.Status.self)),
    ("registrations.kind", of(PendingRegistration.Kind.couple, .alone)),
    ("protected action", of(ProtectedAction.self)),
    ("exports.state", of(PersonalExport.State.self)),
    ("token type", of(TokenType.self)),
    ("staff log deed", of(AuditAction.self)),
    ("partner as contact", of(PartnerContactChoice.self)),
  ]

  private static let feedAndAlbum: [(String, [String])] = [
    ("posts.visibility", of(Visibility.self)),
    ("moments.audience", of(Moment.Audience.self)),
    ("feed scope of pages", of(FeedScope.everyone, .following)),
    ("feed scope of the API", of(PostsQuery.Scope.self)),
    ("search tables", of(SearchIndex.IndexKind.self)),
    ("photo format", of(PhotoResponse.Format.self)),
    ("photo audience", of(PicturePost.Audience.everyone, .followers, .couple)),
    ("photo file format", of(PhotoFormat.self)),
    ("unsupported photo", of(UnsupportedPhoto.self)),
    ("photo extra", of(PhotoExtra.self)),
    ("picture kind", of(PictureKind.self)),
    ("picture variant", of(PictureVariant.self)),
    ("picture format", of(PictureFormat.self)),
    ("unsupported picture", of(UnsupportedFormat.self)),
  ]

  private static let checkIn: [(String, [String])] = [
    ("check-in state", of(CheckInModel.State.missing, .ready, .done)),
    ("check-in failure", of(CheckInFailure.self)),
    ("check-in word", of(CheckInNoticeKind.self)),
    ("history format", of(HistoryQuery.Format.self)),
    ("outages.cause", of(Outage.Cause.self)),
    ("check-in button", of(CheckInForm.Button.save, .checkIn, .partner)),
    ("emergency_contacts.state", of(Contact.State.self)),
    ("contact mail kind", of(ContactMailKind.self)),
    ("contact mail state", of(ContactMailState.self)),
    ("checkin_record.event", of(RecordEvent.self)),
  ]

  private static let workouts: [(String, [String])] = [
    (
      "workout failure code",
      of(
        WorkoutIssue.Code.missing, .malformed, .tooSmall, .tooLarge, .beforeStart, .inFuture,
        .tooOld, .longerThanSpan, .shorterThanSpan, .tooMany)
    ),
    (
      "workout field",
      of(
        WorkoutDraft.Field.session, .clientSessionID, .startedAt, .endedAt, .duration, .paused,
        .energy, .distance, .machine, .training, .detail, .averageHeartRate, .maximumHeartRate,
        .averagePower, .maximumPower, .averageCadence, .maximumCadence, .averageSpeed,
        .maximumSpeed,
        .samples, .interval, .power, .heartRate, .cadence, .speed, .distances, .raw)
    ),
    ("trainings.difficulty", of(Training.Difficulty.self)),
    ("training target", of(TrainingTarget.Kind.self)),
    ("chart", of(ChartKind.self)),
    ("workouts.source", of(WorkoutSource.self)),
    ("workout machine", of(Machine.self)),
    ("workout file format", of(WorkoutFile.Format.self)),
    ("workout CSV column", of(CSVLayout.Fact.self)),
    ("recorded samples", of(RecordedSamples.Kind.self)),
  ]

  private static let groups: [(String, [String])] = [
    ("group role", of(GroupRole.self)),
    ("group event", of(GroupEventKind.self)),
    ("group command", of(CommandRequest.Kind.self)),
    ("length units", of(LengthUnits.self)),
    ("join refusal", of(JoinService.Rejection.self)),
  ]

  private static let moderation: [(String, [String])] = [
    ("reported thing", of(ReportTarget.Kind.self)),
    ("thing state", of(ReportTargetState.shown, .hidden, .removed)),
    ("report reason", of(ReportReason.self)),
    ("case state", of(CaseState.self)),
    ("decision", of(Decision.self)),
    ("staff action", of(ModerationAction.self)),
    ("report state", of(Report.State.open, .rejected, .upheld)),
    ("moderation notice", of(ModerationNotice.Kind.self)),
  ]

  private static let others: [(String, [String])] = [
    ("notices.kind", of(NoticeKind.self)),
    ("anniversary", of(Anniversary.Kind.days, .years)),
    ("coins.reason", of(CoinReason.self)),
    ("receipt problem", of(ReceiptError.self)),
    ("voucher problem", of(VoucherError.self)),
    ("API error code", of(APIErrorCode.self)),
    ("API document tag", of(Operation.Tag.self)),
    ("security event", of(SecurityEvent.self)),
    ("SMTP security", of(SMTPSender.Security.none, .starttls, .tls)),
  ]
}
