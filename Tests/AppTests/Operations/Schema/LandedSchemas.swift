import Database

@testable import App

/// The schemas that instances may have: those of every version that landed.
enum LandedSchemas {
  /// The migrations that each version added, the oldest first.
  static let versions: [[Migration]] = {
    let byName = Dictionary(uniqueKeysWithValues: Migrations.all.map { ($0.name, $0) })
    return known.map { $0.compactMap { byName[$0] } }
  }()

  /// The names of migrations by version, in the order of the history of this repository. A new one
  /// goes to the end of `history`, after an empty line.
  static let known = history.split(separator: "\n\n").map { version in
    version.split(separator: "\n").map(String.init)
  }

  private static let history = """
    jobs 1: jobs and heartbeats
    mail 1: queue
    web 1: limits and answers
    accounts 1: people, couples, sessions, registrations
    feed 1: posts, pictures, likes

    accounts 2: couples whose posts are open to everybody

    feed 2: the feed's walk reads its index alone

    app 1: which keys the database was written with

    mail 2: whose mail it is

    accounts 3: guests' recovery codes, and guests who become members
    accounts 4: addresses that wait for their link
    accounts 5: second factors, recovery codes, enrolments of staff
    accounts 6: pairing and parting
    accounts 7: deletions, files to be removed, exports

    checkin 1: check-ins, contacts and alerts

    mail 3: what becomes of it

    accounts 8: addresses that can be brought back

    accounts 9: who is together
    album 1: photos

    accounts, apps 1: families of refresh tokens, bound devices

    web 2: idempotency keys

    workouts 1: workouts, samples and statistics
    trainings 1: trainings and their stages

    workouts: the highest heart rate of a person

    trainings 2: captions of videos

    accounts, apps 2: bindings that end with a token of their own

    groups 1: groups, members, codes, places, waypoints and logs
    live 1: what is yet to be told

    accounts standing 1: suspended people, hidden couples, blocks
    feed moderation 1: posts that were reported or removed
    moderation 1: reports, decisions, appeals, notices, log

    accounts standing 2: couples that moderators removed
    moderation 2: the log has numbers, and what waits is told once
    moderation 3: the queue by reason

    accounts couple people 1: who is in a couple now
    feed follows 1: follows
    feed search 1: bigrams of posts and of couples' names

    accounts 10: couples by their anniversary
    notices 1: notices, who did it, what is wanted
    notices 2: push subscriptions and their outbox
    notices 3: days to celebrate, and links for calendars
    notices 4: what was pushed already

    workouts: the epoch of the data
    wallet 1: wallets, coins, Apple's transactions, vouchers, promotions

    checkin 2: why alerts wait, and who checked in ahead of time

    web 3: what only grows

    notices 2: a second name in a notice; what is about a group stays when couples block each other

    accounts 8b: the password that brings an address back

    groups 2: longer codes for links

    accounts 11: time zones that were chosen, and those that were told

    accounts, guests 2: recovery codes with slow hashes
    accounts, second factors 2: recovery codes that still have a fast hash

    accounts, sessions 1: absolute ends

    accounts, apps 2: tries of mailed codes

    groups 3: the groups of deleted accounts

    checkin 3: partners as contacts

    accounts, providers 1: linked identities

    accounts, passkeys 1: credentials

    accounts, providers 2: sessions that a provider began

    accounts versions 1: versions of couples
    feed 3: versions of cards

    checkin 4: the record of what was decided

    checkin 5: contacts in turn, and their responses
    checkin 6: channels beside mail

    checkin 7: exercises, and the sheet for contacts
    checkin 8: timers
    checkin 9: other signs of life

    checkin 10: a watchman

    checkin 11: places in alerts of timers, and thresholds in hours

    feed comments 1: comments
    album 2: photos by the day on which they were taken
    workouts: titles, notes, bests and goals
    moderation 4: reports of comments

    workouts: what the partner sees, and cheers

    accounts: units of distances

    moderation 5: decisions can be taken back

    checkin 12: calls for help

    checkin: removed contacts

    feed search: names of people

    messages 1: conversations and messages

    moderation 6: reports of messages

    workouts: deleted workouts

    messages 2: when members last read

    feed saved 1: saved posts
    album 3: favourite photos
    moderation 7: reports of moments
    messages 3: voice notes
    messages 4: withdrawn requests
    messages 5: answers to moments
    moments 1: moments and views

    messages 6: encrypted files

    messages reports 1: texts of reported messages

    accounts versions 2: versions of open couples

    checkin: messages by removed channels

    notices 3: a gathered notice moves in the list without its actors

    checkin: channels that wait for an all-clear
    """
}
