extension String {
  /// The text, or its first `maximum` characters (`FieldLimits`) and an ellipsis, to quote a user's
  /// text on a page.
  public func excerpt(_ maximum: Int) -> String {
    let limits = FieldLimits(characters: maximum)
    if limits.allow(self) { return self }
    var start = limits.beginning(of: self)
    while start.last?.isWhitespace == true { start.removeLast() }
    return start + "…"
  }
}
