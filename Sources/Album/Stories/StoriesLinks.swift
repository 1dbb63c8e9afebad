/// The addresses of what everybody may use, signed in or not.
public enum StoriesLinks {
  public static let page = "/stories"

  /// The photo that a browser left here, for that browser alone.
  static func picture(_ ticket: String) -> String { "\(page)/\(ticket)" }
}
