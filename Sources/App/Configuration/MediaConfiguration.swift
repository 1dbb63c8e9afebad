import Foundation
import Media
import S3

extension Configuration {
  /// The first folders of the paths of media (docs/operator/media-s3.md).
  static let mediaFolders = [
    "couples", "drafts", "exports", "messages", "moments", "photos", "trainings",
  ]

  /// The bucket that media are in; nil: they are files in the data folder.
  var bucket: S3Settings? { usesBucket ? knownBucket : nil }

  /// The store of all media. `log` gets the reason of each failure of the bucket.
  func media(log: @escaping @Sendable (String) -> Void) -> any MediaStore {
    guard let bucket else { return MediaFolder(mediaFolder) }
    return S3Store(bucket, workFolder: uploadFolder, log: log)
  }

  /// Refuses a bucket while the media folder has files that belong into it: they would not be found.
  func checkMediaFolder() throws {
    guard bucket != nil else { return }
    for folder in Self.mediaFolders {
      let path = "\(mediaFolder)/\(folder)"
      let walk = FileManager.default.enumerator(atPath: path)
      while walk?.nextObject() is String {
        guard walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular else { continue }
        throw MisplacedMedia(path: path)
      }
    }
  }
}

/// The media folder has files that the bucket should have.
struct MisplacedMedia: Error, CustomStringConvertible {
  let path: String

  var description: String {
    "\(path) has files, which PAIRSPOT_MEDIA=s3 expects in the bucket: copy them there (pairspot "
      + "move-media s3), and move the folder away (docs/operator/media-s3.md)"
  }
}

extension ConfigurationReader {
  /// The bucket, if there are settings of one, and whether media are in it. If they are not, the
  /// settings are for `pairspot move-media`.
  mutating func bucket() -> (known: S3Settings?, isUsed: Bool) {
    let isPathStyle = choice("PAIRSPOT_S3_PATH_STYLE", ["0", "1"], "0") == "1"
    let isUsed = choice("PAIRSPOT_MEDIA", ["files", "s3"], "files") == "s3"
    let names = [
      "PAIRSPOT_S3_ENDPOINT", "PAIRSPOT_S3_BUCKET", "PAIRSPOT_S3_REGION",
      "PAIRSPOT_S3_ACCESS_KEY", "PAIRSPOT_S3_SECRET_KEY",
    ]
    let missing = names.filter { !isSet($0) }
    if isUsed {
      for name in missing { note("\(name): required with PAIRSPOT_MEDIA=s3") }
    }
    guard missing.isEmpty else { return (nil, isUsed) }
    let values = names.map { text($0, "") }
    do throws(S3Settings.Fault) {
      let settings = try S3Settings(
        endpoint: values[0], bucket: values[1], region: values[2], accessKey: values[3],
        secretKey: values[4], isPathStyle: isPathStyle)
      return (settings, isUsed)
    } catch {
      note(error.problem)
      return (nil, isUsed)
    }
  }

  /// The address from which pages load public pictures; nil for this instance.
  mutating func mediaURL(_ name: String) -> String? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    if value.wholeMatch(of: /https?:\/\/[a-z0-9.-]+(:[0-9]{1,5})?/) == nil {
      note("\(name): must be like https://cdn.example, in lower case, without a path")
    }
    return value
  }
}

extension S3Settings.Fault {
  fileprivate var problem: String {
    switch self {
    case .endpoint:
      "PAIRSPOT_S3_ENDPOINT: must be like https://s3.example:9000, in lower case, without a path"
    case .bucket: "PAIRSPOT_S3_BUCKET: must be the name of a bucket, like pairspot-media"
    case .dottedBucket: "PAIRSPOT_S3_BUCKET: a name with a dot needs PAIRSPOT_S3_PATH_STYLE=1"
    case .region: "PAIRSPOT_S3_REGION: must be the name of a region, like eu-central-1"
    case .accessKey: "PAIRSPOT_S3_ACCESS_KEY: may have letters, digits, dots, _ and -"
    case .secretKey: "PAIRSPOT_S3_SECRET_KEY: may have visible ASCII characters"
    }
  }
}
