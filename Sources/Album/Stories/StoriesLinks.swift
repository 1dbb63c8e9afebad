/// The addresses of `/stories`, which every visitor may use.
public enum StoriesLinks {
  public static let page = "/stories"

  /// The photo that a browser has uploaded, for that browser only.
  static func picture(_ ticket: String) -> String { "\(page)/\(ticket)" }
}
