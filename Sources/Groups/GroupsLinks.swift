import Core
import Foundation

/// The addresses of these pages.
public enum GroupsLinks {
  public static let groups = "/groups"
  public static let join = "/join"
  static let joinPicture = "\(join)/picture"

  public static func group(_ id: ID<Group>) -> String { "\(groups)/\(id)" }
  public static func invite(_ id: ID<Group>) -> String { "\(groups)/\(id)/invite" }
  public static func settings(_ id: ID<Group>) -> String { "\(groups)/\(id)/settings" }
  public static func leave(_ id: ID<Group>) -> String { "\(groups)/\(id)/leave" }
  public static func close(_ id: ID<Group>) -> String { "\(groups)/\(id)/close" }
  public static func sharing(_ id: ID<Group>) -> String { "\(groups)/\(id)/sharing" }
  public static func commands(_ id: ID<Group>) -> String { "\(groups)/\(id)/commands" }
  public static func emergency(_ id: ID<Group>) -> String { "\(groups)/\(id)/emergency" }
  public static func waypoints(_ id: ID<Group>) -> String { "\(groups)/\(id)/waypoints" }

  static func waypoint(_ waypoint: ID<Waypoint>, of id: ID<Group>) -> String {
    "\(waypoints(id))/\(waypoint)"
  }

  /// Asks before a waypoint is removed.
  static func removal(_ waypoint: ID<Waypoint>, of id: ID<Group>) -> String {
    "\(group(id))?ask=\(waypoint)"
  }

  static func remove(_ person: ID<Person>, from id: ID<Group>) -> String {
    "\(groups)/\(id)/members/\(person)/remove"
  }

  static func lead(_ person: ID<Person>, _ id: ID<Group>) -> String {
    "\(groups)/\(id)/members/\(person)/lead"
  }

  static func allow(_ person: ID<Person>, into id: ID<Group>) -> String {
    "\(groups)/\(id)/members/\(person)/allow"
  }

  /// The image of the code, in the API.
  static func picture(_ id: ID<Group>, _ ending: String) -> String {
    "/api/v1/groups/\(id)/invite.\(ending)"
  }

  /// The content of the QR code, after the base URL. The name is shown only until the server's own
  /// is known; one that would fill the code is left out.
  static func join(_ code: InviteCode, name: String) -> String {
    let encoded = encoded(name)
    guard encoded.utf8.count <= 800 else { return join(code) }
    return "\(join)?code=\(code.text)&name=\(encoded)"
  }

  /// The page of a typed code, without a name.
  static func join(_ code: InviteCode) -> String { "\(join)?code=\(code.text)" }

  /// Percent-encoded except for the unreserved characters of RFC 3986, section 2.3.
  private static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
